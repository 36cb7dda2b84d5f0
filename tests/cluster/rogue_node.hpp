#pragma once

#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/net/gate/hello.hpp"

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
///   idle         says hello twice, tells what the second one heard, and waits to be hung up on
///   join         sends each of `control_attacks` in place of its join, and says so once the driver has hung up on all
///   run:ATTACK   takes part in a run and sends that attack in place of its second answer of a step; besides those of
///                `control_attacks`, "half a frame", and "joins as another's", which is sent in place of a worker's
///                join
///   die:N        is gone after N frames on its control connection
///   record       writes all frames of its control connection to `file`, each behind a byte: 0 its own, 1 the driver's
[[noreturn]] void run_rogue(const std::string& mode, const std::string& join, const std::string& certs,
                            const std::string& file);

/// What a spy has written by now. @throws std::runtime_error when nothing comes
Secrets read_secrets(const std::string& file);

}  // namespace troupe_test
