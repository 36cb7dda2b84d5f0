#pragma once

namespace troupe_test {

/// Registers data "loaded:FILE" that lies in memory, with classes; each time it is made a byte is added to the file.
/// One named "....fails" cannot be made, and of one named "....kills" the first process that makes it is killed.
void register_loaded_data();

}  // namespace troupe_test
