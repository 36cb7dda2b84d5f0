#pragma once

#include <string>

namespace troupe {

/// What the bits of results depend on beside the program: the widest instruction set that it is compiled for and this
/// processor has, and the library of functions such as exp: "x86-64-v4, glibc 2.36". What oneDNN makes of a processor,
/// a network's fingerprint tells.
std::string arithmetic();

}  // namespace troupe
