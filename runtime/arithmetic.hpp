#pragma once

#include <string>

namespace troupe {

/// Returns the parts of the environment that decide the bits of results, such as "x86-64-v4, glibc 2.36". The first is
/// the widest instruction set that the program is compiled for and this processor has. The second is the C library, for
/// functions such as exp. The code paths that oneDNN chooses for a processor are part of a network's fingerprint
/// instead.
std::string arithmetic();

}  // namespace troupe
