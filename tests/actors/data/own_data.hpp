#pragma once

namespace troupe_test {

/// Registers the data "own[:FAULT]", which are computed on request, and the loss "fourth-power". A sample has two
/// targets. With a fault it has a class, and sample 7 has an invalid class ("label") or throws ("throw").
void register_own_data();

}  // namespace troupe_test
