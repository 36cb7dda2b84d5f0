#pragma once

#include <map>
#include <string>

namespace troupe_test {

/// Maps a case and a kind of machine, such as "optimizer/adamw on 0123456789abcdef", to the hash of the result.
using Results = std::map<std::string, std::string>;

/// Returns the results of this build on this machine.
Results results_here();
/// Returns the stored results of earlier builds, on the machines where they ran: `bits.txt`.
Results results_before();

}  // namespace troupe_test
