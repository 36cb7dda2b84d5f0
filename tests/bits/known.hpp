#pragma once

#include <map>
#include <string>

namespace troupe_test {

/// By case and kind of machine, such as "optimizer/adamw on 0123456789abcdef", the hash of its result.
using Results = std::map<std::string, std::string>;

/// Of this build, on this machine.
Results results_here();
/// Of a build before, on machines where it has run: `bits.txt`.
Results results_before();

}  // namespace troupe_test
