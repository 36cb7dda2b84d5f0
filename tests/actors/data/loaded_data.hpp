#pragma once

namespace troupe_test {

/// Registers the data "loaded:FILE", which is in memory and has classes. Each time the data are created, a byte is
/// appended to FILE. If the name ends with "fails", the creation fails. If the name ends with "kills", the first
/// process that creates the data is killed.
void register_loaded_data();

}  // namespace troupe_test
