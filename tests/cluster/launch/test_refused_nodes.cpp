#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "cluster/namespaces.hpp"
#include "cluster/nodes.hpp"
#include "cluster/training.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

// A node whose join the driver refuses after their handshake: it announces an address that other nodes cannot dial.

TEST_CASE("a refused node prints the reason, ends with status 1 under --once, and otherwise connects again") {
  if (const std::string why = Namespaces::why_not(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  const std::string reason =
      "it announces the address 127.0.0.1, which does not match the address that it connects from";
  const Namespaces namespaces(1);
  for (const bool once : {true, false}) {
    CAPTURE(once);
    std::vector<std::string> more{"--troupe-listen=127.0.0.1"};
    if (once) more.emplace_back("--troupe-once");
    Nodes nodes(1, &namespaces, NodeProgram::own, more);
    const InNamespace inside(namespaces.driver());
    Options options = nodes.options();
    options.timeouts.start = kSanitized ? 60s : 8s;
    std::thread driver([&] {
      try {
        const DistributedSGD sgd("hold", options);
        MESSAGE("the node has joined");
      } catch (const Error&) {  // no node joins before the timeout
      }
    });
    if (once) CHECK(nodes[0].wait() == 1);
    CHECK(nodes[0].says("protocol: the driver refuses this node"));
    CHECK(nodes[0].says(reason));
    if (!once) CHECK(comes_true([&] { return count(nodes[0].err(), reason) > 1; }, 60s));
    CHECK_FALSE(contains(nodes[0].err(), "joined the driver"));
    driver.join();
  }
}
