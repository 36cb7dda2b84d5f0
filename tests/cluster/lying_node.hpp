#pragma once

#include <string>

namespace troupe_test {

/// Runs this process as a node with a good certificate that joins one run and lies. `lie` says about what:
///   host     where it listens: a name, to be looked up by all others
///   tensors  the first weights: 4 TB of them
///   failure  why it cannot build its replicas, in letters that control a terminal
[[noreturn]] void run_liar(const std::string& lie, const std::string& join, const std::string& certs);

}  // namespace troupe_test
