#pragma once

#include <string>

namespace troupe_test {

/// Runs this process as a node with a valid certificate that joins one run and lies. `lie` selects the subject:
///   host     the address where it listens: a host name, which all others would have to look up
///   tensors  the size of the first weights: 4 TB
///   failure  the reason why it cannot build its replicas, with control characters of a terminal
///   blame    the node that failed: another node, bob
[[noreturn]] void run_liar(const std::string& lie, const std::string& join, const std::string& certs);

}  // namespace troupe_test
