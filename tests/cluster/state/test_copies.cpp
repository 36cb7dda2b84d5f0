#include <doctest/doctest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "actors/placements/cluster/cluster.hpp"
#include "cluster/nodes.hpp"
#include "cluster/state/pair.hpp"
#include "runtime/net/gate/hello.hpp"
#include "runtime/net/tls/credentials.hpp"
#include "runtime/net/tls/tls_stream.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"
#include "troupe/json.hpp"

using namespace troupe;
using namespace troupe_test;

TEST_CASE("a run without checkpoints continues after the death of each node's process, bitwise identical") {
  Nodes nodes(3);
  Pair run(with_copies(nodes));
  for (int victim = 0; victim < 3; ++victim) {
    CAPTURE(victim);
    const std::int64_t copied = step_to_copy(run);
    const std::int64_t done = run.sgd.steps_done();
    run.kill(victim);
    const StepReport report = run.step();
    REQUIRE(report.repairs.size() == 1);
    CHECK(report.copies.ring == std::vector<std::string>{"node0", "node1", "node2"});
    CHECK(report.repairs[0].node == "node" + std::to_string(victim));
    CHECK(report.repairs[0].replayed == done - copied);
    run.check_weights();
  }
}

TEST_CASE("a machine that is lost with its memory is replaced by an empty one, bitwise identical") {
  Nodes nodes(3);
  Pair run(with_copies(nodes));
  for (int victim = 0; victim < 3; ++victim) {
    CAPTURE(victim);
    step_to_copy(run);
    nodes.start(victim);  // kills the node and its supervisor, and starts another one
    const StepReport report = run.step();
    REQUIRE(report.repairs.size() == 1);
    run.check_weights();
  }
}

TEST_CASE("a run continues with fewer nodes after a death, and with more when a node joins, bitwise identical") {
  Nodes nodes(3);
  Pair run(with_ranges(nodes));
  step_to_copy(run);
  nodes[1].signal(SIGKILL);
  StepReport report = run.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].node == "node1");
  CHECK(report.nodes.left == std::vector<std::string>{"node1"});
  CHECK(run.sgd.num_workers() == 4);
  run.check_weights();
  nodes.start(1);
  CHECK(steps_to_joined(run).nodes.joined == std::vector<std::string>{"node1"});
  CHECK(run.sgd.num_workers() == 6);
  run.check_weights();
  const auto status = Json::parse(ask_for_nodes(Address::parse(nodes.listen()), nodes.authority().node(0)));
  CHECK(status["nodes"][0]["copy_of"] == "node2");
  CHECK(status["copies"]["step"] >= 0);
  CHECK(status["copies"]["bytes_sent"] > 0);
  REQUIRE(status["changes"].size() == 2);
  CHECK(status["changes"][0]["left"] == std::vector<std::string>{"node1"});
  CHECK(status["changes"][1]["joined"] == std::vector<std::string>{"node1"});
}

TEST_CASE("a node that is asked to end leaves after the step with status 0, and no step is repeated") {
  Nodes nodes(3);
  Pair run(with_ranges(nodes));
  // On a busy machine, a node may be late: then the run begins without it, and takes it in later.
  steps_to(run, [&](const StepReport&) { return run.sgd.num_workers() == 6; });
  step_to_copy(run);
  ::kill(nodes[0].pid(), SIGTERM);
  const StepReport report = steps_to_left(run);
  CHECK(report.nodes.left == std::vector<std::string>{"node0"});
  CHECK(report.repairs.empty());
  CHECK(nodes[0].wait() == 0);
  run.check_weights();
}

TEST_CASE("nodes that keep each other's copies leave one after the other, if they are asked to end at once") {
  Nodes nodes(3);
  Pair run(with_ranges(nodes, 1));
  step_to_copy(run);
  ::kill(nodes[1].pid(), SIGTERM);
  ::kill(nodes[2].pid(), SIGTERM);
  while (run.sgd.num_workers() > 2) CHECK(steps_to_left(run).repairs.empty());
  CHECK(nodes[1].wait() == 0);
  CHECK(nodes[2].wait() == 0);
  run.check_weights();
}

TEST_CASE("the only node of a run leaves when another node has taken over the state") {
  Nodes nodes(2);
  Pair run(with_ranges(nodes, 1));
  step_to_copy(run);
  nodes[1].signal(SIGKILL);
  steps_to_left(run);
  ::kill(nodes[0].pid(), SIGTERM);
  const Stopwatch alone;
  while (alone.seconds() < 1) CHECK(run.step().repairs.empty());
  nodes.start(1);
  CHECK(steps_to_joined(run).repairs.empty());
  CHECK(steps_to_left(run).nodes.left == std::vector<std::string>{"node0"});
  CHECK(nodes[0].wait() == 0);
  run.check_weights();
}

TEST_CASE("two nodes that die together take the state with them, and the error says what was lost") {
  Nodes nodes(3);
  Pair run(with_ranges(nodes, 1));
  step_to_copy(run);
  nodes[0].signal(SIGKILL);
  nodes[1].signal(SIGKILL);
  const std::string said = message_of([&] { run.step(); });
  CAPTURE(said);
  CHECK(said.find("the slices of node0 of the optimizer's state are lost") != std::string::npos);
}

TEST_CASE("a node cannot announce that another node leaves") {
  Nodes nodes(2);
  Options options = with_copies(nodes);
  Pair run(options);
  const Credentials credentials(nodes.authority().node(0), Role::node);
  const auto announce = [&](const Token& token) {
    TlsStream stream = TlsStream::dial(Address::parse(nodes.listen()), credentials, Role::driver, Deadline(kPatience));
    Hello hello = make_hello(Purpose::leave);
    hello.token = token;
    return message_of([&] { say_hello(stream, hello, Deadline(kPatience)); });
  };
  CHECK(announce({}).find("it is not in the run") != std::string::npos);
  Token guessed;
  guessed.fill(std::byte{7});
  CHECK(announce(guessed).find("it is not in the run") != std::string::npos);
  CHECK(run.step().nodes.left.empty());
}
