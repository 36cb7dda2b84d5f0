#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/net/hello.hpp"

namespace troupe_test {

/// What a node of a run knows, and an attacker would like to.
struct Secrets {
  troupe::Hello hello;                 ///< with which it opens its data connections
  std::vector<troupe::Address> gates;  ///< of the nodes in order, and the driver's
};

/// Runs this process as a node with a certificate that has fallen into the wrong hands: it joins one run and takes
/// part. `mode` says what it does besides:
///   spy          writes its secrets to `file`
///   oversized, unannounced
///                sends the first node, before anything else, a segment of 64 MiB or one for no window
///   caf-headers  sends the driver's CAF crafted headers in place of a join, and waits to be killed
[[noreturn]] void run_rogue(const std::string& mode, const std::string& join, const std::string& certs,
                            const std::string& file);

/// What a spy has written by now. @throws std::runtime_error when nothing comes
Secrets read_secrets(const std::string& file);

using CafHeader = std::array<std::byte, 32>;
/// Headers of CAF's protocol of every kind, as no peer of ours sends them first; some announce 256 MiB.
std::vector<CafHeader> crafted_caf_headers();

}  // namespace troupe_test
