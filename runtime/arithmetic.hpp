#pragma once

#include <string>

namespace troupe {

/// Returns a text such as "x86-64-v4, glibc 2.36" with the two properties of this machine that can change the bits of
/// results. The first property is the widest instruction set that this processor supports, among those for which the
/// program is compiled. The second property is the version of the C library: another version may round functions such
/// as exp differently. The code that oneDNN selects for the processor also affects results, but a network's fingerprint
/// describes that code.
std::string arithmetic();

}  // namespace troupe
