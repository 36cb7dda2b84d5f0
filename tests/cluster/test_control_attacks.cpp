#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>

#include "actors/control_frames.hpp"
#include "cluster/hold_model.hpp"
#include "cluster/rogue_node.hpp"
#include "cluster/training.hpp"
#include "runtime/net/certificates/authority.hpp"
#include "runtime/net/gate/gate.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"
#include "support/few_files.hpp"

using namespace troupe;
using namespace troupe_test;
using namespace std::chrono_literals;

// Members with valid certificates that send invalid frames on their control connection.
namespace {

void add_node(const Nodes& nodes, const std::string& name) {
  create_node_credentials(nodes.authority().folder().path().string(), name);
}

/// Measures the peak memory of this process.
class MemoryWatch {
 public:
  MemoryWatch() : before_(resident_bytes(::getpid())), most_(before_), thread_([this] { run(); }) {}
  ~MemoryWatch() { stop(); }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  std::size_t grown() {
    stop();
    return most_ - before_;
  }

 private:
  void stop() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void run() {
    for (; !over_; std::this_thread::sleep_for(5ms)) most_ = std::max(most_, resident_bytes(::getpid()));
  }

  std::size_t before_;
  std::size_t most_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

/// Trains for a few steps with all nodes once they have joined, and compares with a run in this process.
void check_training(Training& training, int shards) {
  CHECK(training.goes_on());
  CHECK(training.finish() == "");
  const auto weights = training.weights();
  CHECK(bits_of(weights) == bits_of(run_here(Hold{}.text(), shards, training.steps())));
}

std::future<std::unique_ptr<Training>> begin_training(const Options& options) {
  return std::async(std::launch::async, [options] { return std::make_unique<Training>(options); });
}

/// A run with two nodes that waits for the second, "node1". A third node, "node2", is not part of the run.
class HalfBegun {
 public:
  HalfBegun() {
    add_node(nodes, "node1");
    add_node(nodes, "node2");
    Options options = nodes.options(2);
    if (kSanitized) options.timeouts.start = 300s;
    training = begin_training(options);
  }
  /// Starts the second node and checks that the run works.
  void check_goes_on() {
    const auto honest = start_rogue("spy", nodes, 1);
    check_training(*training.get(), 2);
  }

  Nodes nodes{1};
  const CapturedErrors errors;
  std::future<std::unique_ptr<Training>> training;
};

}  // namespace

TEST_CASE(
    "anything that a node sends instead of its join is refused with one line, and the run starts without the node") {
  MemoryWatch memory;
  HalfBegun run;
  const auto rogue = start_rogue("join", run.nodes, 2);
  CHECK(rogue->wait() == 0);
  CHECK(contains(rogue->err(), "all were refused"));
  run.check_goes_on();
  CHECK(memory.grown() < kMemory);
  check_log(run.errors.text(), 60);
  INFO(run.errors.text());
  CHECK(count(run.errors.text(), "refused node2 at") > 10);
}

TEST_CASE("a node that sends a hello but no join takes no other node's place and is disconnected") {
  HalfBegun run;
  const auto idle = start_rogue("idle", run.nodes, 2);
  CHECK(idle->says("the certificate of node2 is in the run already"));
  run.check_goes_on();
  CHECK(idle->says("was hung up on"));
  CHECK(contains(run.errors.text(), "refused node2"));
}

TEST_CASE("a node that sends a hello but no join is disconnected before the start timeout") {
  Nodes nodes(0);
  add_node(nodes, "node2");
  const CapturedErrors errors;
  Options options = nodes.options(1);
  options.timeouts.start = 60s;
  auto start = std::async(std::launch::async, [options] { DistributedSGD("hold", options).step(); });
  const auto idle = start_rogue("idle", nodes, 2);
  CHECK(idle->says("was hung up on", 40s));
  CHECK(contains(errors.text(), "it sent a hello but did not join"));
  const auto honest = start_rogue("spy", nodes, 2);
  start.get();
}

TEST_CASE("a node that joins and leaves repeatedly must wait, and other nodes need not") {
  HalfBegun run;
  const auto knocks = start_rogue("knock", run.nodes, 2);
  CHECK(knocks->says("has to wait"));
  run.check_goes_on();
}

TEST_CASE("a driver without free file descriptors accepts nodes again when descriptors are free") {
  HalfBegun run;
  CHECK(run.nodes[0].says("joined the driver"));
  const auto knocks = start_rogue("knock", run.nodes, 2);
  const auto has_run_out = [&] { return contains(run.errors.text(), "Too many open files"); };
  for (int round = 0; round == 0 || (round < 50 && !has_run_out()); ++round)
    for (std::size_t free = 0; free < 4; ++free) {  // for the connection and two more descriptors that it needs
      const FewFiles few(free);
      comes_true([&] { return run.training.wait_for(0s) == std::future_status::ready; }, 200ms);
    }
  CHECK(knocks->says("has to wait"));
  CHECK(has_run_out());
  run.check_goes_on();
}

TEST_CASE("several nodes can share one certificate only with shared_certificates") {
  Nodes nodes(0);
  add_node(nodes, "node0");
  Options options = nodes.options(2);
  options.timeouts.start = 3s;
  const auto one = start_rogue("spy", nodes, 0);
  const auto other = start_rogue("record", nodes, 0);
  {
    const CapturedErrors errors;
    CHECK(code_of([&] { DistributedSGD("hold", options); }) == ErrorCode::timeout);
    CHECK(contains(errors.text(), "the certificate of node0 is in the run already"));
  }
  options.timeouts.start = 60s;
  options.cluster.shared_certificates = true;
  // A refused node still retries.
  const auto third = start_rogue("die:1000000", nodes, 0);
  DistributedSGD sgd("hold", options);
  CHECK(sgd.step().step == 1);
}

TEST_CASE("a node can join only on the connection that sent its hello") {
  Nodes nodes(0);
  add_node(nodes, "node0");
  add_node(nodes, "node1");
  Options options = nodes.options(2);
  options.cluster.shared_certificates = true;
  const CapturedErrors errors;
  auto training = begin_training(options);
  const auto borrows = start_rogue("borrow", nodes, 0);
  CHECK(comes_true([&] { return contains(errors.text(), "its join does not match its hello"); }, kPatience));
  const auto one = start_rogue("spy", nodes, 0);
  const auto other = start_rogue("record", nodes, 1);
  check_training(*training.get(), 2);
}

TEST_CASE("a node may be killed at any point of its join") {
  Nodes nodes(1);
  for (const char* name : {"node1", "node2", "node3"}) add_node(nodes, name);
  const CapturedErrors errors;
  auto training = begin_training(nodes.options(3));
  for (int frames = 0; frames < 8; ++frames) {
    CAPTURE(frames);
    const auto dies = start_rogue("die:" + std::to_string(frames), nodes, 3);
    CHECK_MESSAGE(dies->wait() == 0, dies->err());
  }
  const auto one = start_rogue("spy", nodes, 1);
  const auto other = start_rogue("spy", nodes, 2);
  check_training(*training.get(), 3);
}

TEST_CASE(
    "a node that sends an invalid frame instead of an answer is disconnected with one line, and the next run works") {
  Nodes nodes(2);
  add_node(nodes, "node2");
  for (const std::string attack :
       {"client handshake without an id", "server handshake without a payload", "nested messages", "huge text",
        "routed to another node", "claims another's id", "config server by name", "said twice", "flood of heartbeats",
        "an answer to another question"}) {
    CAPTURE(attack);
    const CapturedErrors errors;
    MemoryWatch memory;
    std::string message;
    std::string node;
    {
      const auto rogue = start_rogue("run:" + attack, nodes, 2);
      DistributedSGD sgd("hold", nodes.options(3));
      try {
        for (;;) sgd.step();
      } catch (const Error& error) {
        message = error.what();
        node = error.where().node;
        CHECK(error.code() == ErrorCode::worker_lost);
      }
      CHECK(sgd.report().step >= 1);
    }
    INFO(message);
    CHECK(node == "node2");
    CHECK(contains(message, "its connection was ended, because "));
    CHECK(memory.grown() < kMemory);
    CHECK(count(errors.text(), "refused node2 at") == 1);
  }
  Training after(nodes.options(2));
  check_training(after, 2);
}

TEST_CASE("a node whose worker joins as another node's worker is disconnected with one line, and the next run works") {
  Nodes nodes(2);
  add_node(nodes, "node2");
  const CapturedErrors errors;
  {
    const auto rogue = start_rogue("run:joins as another's", nodes, 2);
    const auto start = [&] { DistributedSGD("hold", nodes.options(3)); };
    const std::string message = message_of(start);
    INFO(message);
    CHECK(contains(message, "its connection was ended, because its worker joins as another node's"));
    CHECK(contains(message, "worker 2, node node2"));
  }
  CHECK(count(errors.text(), "refused node2 at") == 1);
  Training after(nodes.options(2));
  check_training(after, 2);
}

TEST_CASE("the driver waits for the rest of a frame until the deadline of the step") {
  Nodes nodes(1);
  add_node(nodes, "node1");
  Options options = nodes.options(2);
  options.timeouts.step = 3s;
  const auto rogue = start_rogue("run:half a frame", nodes, 1);
  DistributedSGD sgd("hold", options);
  Where where;
  try {
    for (;;) sgd.step();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::timeout);
    where = error.where();
  }
  CHECK(where.node == "node1");
  CHECK(where.phase == "compute");
}

namespace {

/// A driver with a valid certificate and an invalid handshake. `took_one` returns whether a node has connected.
class FalseDriver {
 public:
  FalseDriver(const Nodes& nodes, Frame says)
      : says_(std::move(says)),
        gate_(
            Address::parse(nodes.listen()),
            std::make_shared<const Credentials>(nodes.authority().driver(), Role::driver),
            [](const Hello&, const TlsStream&) { return ""; },
            [this](const Hello&, TlsStream stream) { take(std::move(stream)); }) {}

  bool took_one() {
    return comes_true([this] { return taken_ > 0; }, 20s);
  }

 private:
  void take(TlsStream stream) {
    if (!says_.empty()) stream.write_all(says_, Deadline(1s));
    ++taken_;
  }

  Frame says_;
  std::atomic<int> taken_ = 0;
  Gate gate_;
};

}  // namespace

TEST_CASE("a driver that ends or sends an invalid handshake while a node joins does not harm the node") {
  Nodes nodes(1);
  const Frame heartbeat = frame(header(wire::Operation::heartbeat));
  const Frame server = frame(header(wire::Operation::server_handshake));
  for (const Frame& says : {Frame(), Frame(server.begin(), server.begin() + 9), server, heartbeat})
    CHECK(FalseDriver(nodes, says).took_one());
  CHECK(nodes[0].says("its handshake is not that of a driver"));
  DistributedSGD sgd("hold", nodes.options());
  CHECK(sgd.step().step == 1);
}
