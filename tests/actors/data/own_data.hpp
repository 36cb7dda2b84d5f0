#pragma once

namespace troupe_test {

/// Registers data "own[:FAULT]", computed when it is asked for: two targets a sample, or with a fault classes, and
/// sample 7 has no class ("label") or throws ("throw"). And the loss "fourth-power".
void register_own_data();

}  // namespace troupe_test
