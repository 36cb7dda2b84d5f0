#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/nodes.hpp"
#include "cluster/state/pair.hpp"
#include "models/files.hpp"
#include "runtime/clock.hpp"
#include "runtime/net/certificates/authority.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

/// Kills a process after a delay.
class LaterKill {
 public:
  LaterKill(pid_t pid, std::chrono::milliseconds delay)
      : thread_([=] {
          std::this_thread::sleep_for(delay);
          ::kill(pid, SIGKILL);
        }) {}

 private:
  std::jthread thread_;
};

constexpr std::array kMoments{std::chrono::milliseconds(10), std::chrono::milliseconds(80),
                              std::chrono::milliseconds(160), std::chrono::milliseconds(320)};

struct Usage {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t threads = 0;
  std::size_t bytes = 0;
};

Usage usage_of(pid_t pid) {
  const auto entries = [&](const char* folder) {
    const std::filesystem::path path = "/proc/" + std::to_string(pid) + folder;
    return std::distance(std::filesystem::directory_iterator(path), {});
  };
  return {entries("/fd"), entries("/task"), resident_bytes(pid)};
}

}  // namespace

// 20 times if TROUPE_SOAK is set in the environment, otherwise 6 times.
TEST_CASE("nodes that leave and join again and again leave no memory, descriptors or threads behind") {
  const int rounds = std::getenv("TROUPE_SOAK") != nullptr ? 20 : 6;
  Nodes nodes(3);
  Pair run(with_ranges(nodes));
  step_to_copy(run);
  std::pair<Usage, Usage> early;  // of this process, and of the node that stays
  double longest = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const int victim = round % 2;
    ::kill(nodes[victim].pid(), SIGTERM);
    CHECK(steps_to_left(run).repairs.empty());
    CHECK(nodes[victim].wait() == 0);
    const Stopwatch joining;
    nodes.start(victim);
    CHECK(steps_to_joined(run).repairs.empty());
    longest = std::max(longest, joining.seconds());
    const std::pair now{usage_of(::getpid()), usage_of(run.sgd.worker_pids().back())};
    if (round == 2) early = now;
    if (round < 3) continue;
    for (const auto& [before, after] : {std::pair(early.first, now.first), std::pair(early.second, now.second)}) {
      CHECK(after.descriptors <= before.descriptors + 1);
      CHECK(after.threads <= before.threads + 1);
      if (!kSanitized) CHECK(after.bytes <= before.bytes + (std::size_t{16} << 20));
    }
  }
  run.check_weights();
  MESSAGE("from the start of a node's process to the end of its first step: " << longest << " s at most");
}

TEST_CASE("a node may die while the run is formed again because of another node") {
  Nodes nodes(3);
  Pair run(with_copies(nodes));
  for (const auto delay : kMoments) {
    CAPTURE(delay.count());
    step_to_copy(run);
    const auto pids = run.sgd.worker_pids();
    run.kill(0);
    {
      const LaterKill second(pids.at(1), delay);
      CHECK_FALSE(run.step().repairs.empty());
    }
    run.step();
    run.check_weights();
  }
}

TEST_CASE("a node may die while another node joins") {
  Nodes nodes(3);
  Pair run(with_ranges(nodes));
  for (const auto delay : kMoments) {
    CAPTURE(delay.count());
    step_to_copy(run);
    nodes[2].signal(SIGKILL);
    CHECK(steps_to_left(run).nodes.left == std::vector<std::string>{"node2"});
    nodes.start(2);
    const LaterKill other(run.sgd.worker_pids().at(0), delay);
    steps_to_joined(run);
    run.check_weights();
  }
  while (run.sgd.num_workers() < 6) run.step();
  run.check_weights();
}

TEST_CASE("the processes of all nodes may die at once, and of nodes that keep each other's copies") {
  Nodes nodes(3);
  Pair run(with_ranges(nodes, 1));
  for (const std::vector<int>& victims : {std::vector<int>{0, 2}, std::vector<int>{0, 2, 4}}) {  // workers
    step_to_copy(run);
    const auto pids = run.sgd.worker_pids();
    for (const int worker : victims) ::kill(pids.at(static_cast<std::size_t>(worker)), SIGKILL);
    CHECK_FALSE(run.step().repairs.empty());
    run.check_weights();
    while (run.sgd.num_workers() < 6) run.step();
    run.check_weights();
  }
}

TEST_CASE("two nodes that die together send the run back to its newest checkpoint") {
  Nodes nodes(3);
  const testing::TemporaryFolder folder;
  Options options = with_copies(nodes);
  options.checkpoint.folder = folder / "run";
  options.checkpoint.every_steps = 2;
  Pair run(options);
  StepReport report;
  while (report.checkpoint.step < 0) report = run.step();
  nodes.start(0);
  nodes.start(1);
  report = run.step();
  REQUIRE_FALSE(report.repairs.empty());
  CHECK(report.repairs.back().replayed >= 1);
  run.check_weights();
  CHECK(run.step().copies.step > 0);
}

TEST_CASE("a copy that is sent in parts after several steps is restored, bitwise identical") {
  Nodes nodes(2);
  Options options = nodes.options();
  options.config = R"({"data": "fashion-mnist", "batch_size": 8, "model_options": {"hidden": 512}})";
  options.optimizer = Adam{.learning_rate = 0.001};
  Options here = options;
  here.placement = Placement::in_process;
  here.cluster = {};
  options.fault_tolerance.copy_every = 6;
  DistributedSGD sgd("mlp", options);
  DistributedSGD twin("mlp", here);
  int parts = 0;
  for (int step = 0; step < 40; ++step) {
    const StepReport report = sgd.step();
    CHECK(report.loss == twin.step().loss);
    parts += report.copies.bytes_sent > 0 ? 1 : 0;
    if (step % 13 == 9) ::kill(sgd.worker_pids().at(static_cast<std::size_t>(step % 2)), SIGKILL);
  }
  CHECK(parts > 20);
  CHECK(bits_of(sgd.weights()) == bits_of(twin.weights()));
}

TEST_CASE("the node that remains alone has the whole state") {
  Nodes nodes(2);
  Pair run(with_ranges(nodes, 1));
  for (const int victim : {0, 1}) {
    step_to_copy(run);
    nodes[victim].signal(SIGKILL);
    CHECK(steps_to_left(run).repairs.size() == 1);
    run.check_weights();
    nodes.start(victim);
    steps_to_joined(run);
    run.check_weights();
  }
}

TEST_CASE("a node whose certificate is revoked during a run does not join again, and the run continues without it") {
  Nodes nodes(3);
  Pair run(with_ranges(nodes));
  step_to_copy(run);
  revoke_credentials(nodes.authority().folder().path().string(), "node1");
  run.step();
  run.kill(2);  // of node 1, because each node has two workers
  const StepReport report = run.step();
  REQUIRE(report.repairs.size() == 1);
  CHECK(report.repairs[0].node == "node1");
  CHECK(report.nodes.left == std::vector<std::string>{"node1"});
  CHECK(run.step().nodes.joined.empty());
  run.check_weights();
}
