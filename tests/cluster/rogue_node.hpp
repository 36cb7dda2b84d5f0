#pragma once

#include <string>
#include <vector>

#include "runtime/net/address.hpp"
#include "runtime/net/gate/hello.hpp"

namespace troupe_test {

/// Secrets of a run that its nodes know.
struct Secrets {
  troupe::Hello hello;                 ///< the hello that opens its data connections
  std::vector<troupe::Address> gates;  ///< the nodes' gates in order, then the driver's
};

/// Runs this process as a node with a stolen certificate that joins one run and takes part. `mode` selects its attack:
///   spy          writes its secrets to `file`
///   oversized, unannounced
///                first sends the first node a segment of 64 MiB, or a segment for an unknown window
///   idle         opens two connections, prints the reply to the second hello, and waits for the driver to close them
///   knock        joins and leaves repeatedly until the driver refuses it for some time
///   borrow       joins on one connection with the token of another
///   join         sends each of `control_attacks` instead of its join, and prints a line when all were refused
///   run:ATTACK   takes part in a run and sends the attack instead of its second answer of a step. The attacks are
/// those
///                of `control_attacks`, "half a frame", and "joins as another's", which replaces a worker's join
///   die:N        exits after N frames on its control connection
///   record       writes all frames of its control connection to `file`. A byte before each frame is 0 for its own
///                frames and 1 for the driver's
[[noreturn]] void run_rogue(const std::string& mode, const std::string& join, const std::string& certs,
                            const std::string& file);

/// Reads the secrets that a spy has written. @throws std::runtime_error on timeout
Secrets read_secrets(const std::string& file);

}  // namespace troupe_test
