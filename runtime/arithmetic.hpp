#pragma once

#include <string>

namespace troupe {

/// Returns a text with the two properties of this machine that can change the bits of results, such as "x86-64-v4,
/// glibc 2.36". The first property is the widest instruction set that this processor supports, among those for which
/// the program is compiled. The second is the version of the C library, whose functions, such as exp, may round
/// differently. The text does not describe the code paths that oneDNN chooses for a processor: these are part of a
/// network's fingerprint.
std::string arithmetic();

}  // namespace troupe
