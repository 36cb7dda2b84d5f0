#pragma once

#include <string>

namespace troupe {

/// Returns the hardware and library that decide the bits of results: the widest instruction set that the program is
/// compiled for and this processor has, and the C library (for functions such as exp), such as "x86-64-v4, glibc 2.36".
/// The code paths that oneDNN chooses for a processor are part of a network's fingerprint instead.
std::string arithmetic();

}  // namespace troupe
