#include <doctest/doctest.h>
#include <signal.h>

#include <array>
#include <fstream>
#include <optional>
#include <thread>

#include "actors/trainer/train_functions.hpp"
#include "cluster/nodes.hpp"
#include "runtime/processes/cores.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

/// Returns options of a trainer on all nodes.
TrainerOptions on_nodes(const Nodes& nodes, int workers) {
  TrainerOptions options = trainer_options(Placement::cluster, workers);
  options.cluster = nodes.options().cluster;
  options.fault_tolerance.cut_after = kCutAfter;
  options.timeouts.collective = std::chrono::seconds(kSanitized ? 120 : 20);
  options.timeouts.stop = std::chrono::seconds(5);
  return options;
}

}  // namespace

TEST_CASE("functions on nodes know their place and reach each other over the data plane") {
  const Nodes nodes(2);
  Trainer trainer(on_nodes(nodes, 3));
  const RunResults told = trainer.run("place");
  constexpr std::array kLocalRanks{0, 1, 0};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    CHECK(told[rank].json.at("rank") == rank);
    CHECK(told[rank].json.at("local_rank") == kLocalRanks[rank]);
    CHECK(told[rank].json.at("node") == (rank < 2 ? "node0" : "node1"));
    CHECK(told[rank].json.at("backend") == "data-plane");
  }
  for (const std::size_t count : {0, 1, 10, 4097, kSanitized ? 100'000 : 1'000'000})
    CHECK_NOTHROW(trainer.run("collectives", {{"count", count}}));
  CHECK(trainer.workers().execute_single("place").json.at("world_size") == 1);
  Trainer here_alone(trainer_options(Placement::in_process, 3));
  const Json config = {{"steps", 4}, {"clip", 0.5}};
  CHECK(trainer.run("learn", config)[2].json == here_alone.run("learn", config)[0].json);
  const RunOptions data{.dataset = "synthetic-linear"};
  CHECK(trainer.run("shard", {}, data)[2].json == here_alone.run("shard", {}, data)[2].json);
  const RunOptions folds{.dataset = {"fold:1/2:numbered", "numbered"}};
  for (const char* function : {"cv", "datasets"})
    CHECK(trainer.run(function, {}, folds)[2].json == here_alone.run(function, {}, folds)[2].json);
}

TEST_CASE("on nodes a rank that throws, returns early or calls another collective is named") {
  const Nodes nodes(2);
  Trainer trainer(on_nodes(nodes, 3));
  constexpr std::array kCases{
      std::pair{"throws", "out of luck"},
      std::pair{"returns", "has returned from its function"},
      std::pair{"other", "ranks called different collectives or passed different sizes: "},
  };
  for (const auto& [how, said] : kCases) {
    CAPTURE(how);
    const std::string message = message_of([&] { trainer.run("ten", {{"how", how}}); });
    CHECK_MESSAGE(message.find(said) != std::string::npos, message);
  }
  CHECK(trainer.run("ten")[2].json.at("sum") == 10);
}

TEST_CASE("a node that is lost during a collective is named to the remaining ranks") {
  const Nodes nodes(2);
  const TemporaryFolder notes;
  Trainer trainer(on_nodes(nodes, 3));
  trainer.run("add until killed", {{"notes", notes.path().string()}});
  std::string note;
  std::getline(std::ifstream(notes / "2"), note);  // ranks 0 and 1 have ended
  CHECK_MESSAGE(note.starts_with("worker_lost: worker "), note);
  CHECK_MESSAGE(note.find("all_reduce(1000000 f32, mean) at train_functions.cpp:") != std::string::npos, note);
  CHECK_MESSAGE(note.find(" (node0) ") != std::string::npos, note);
}

TEST_CASE("after a lost node joins again, the function restarts from the last common checkpoint") {
  const Nodes nodes(2);
  TrainerOptions options = on_nodes(nodes, 3);
  options.timeouts.collective = std::chrono::seconds(2);
  options.timeouts.stop = std::chrono::seconds(1);
  Trainer trainer(options);
  for (const char* how : {"killed", "hangs"}) {
    CAPTURE(how);
    for (const TaskResult& each : trainer.run("ten", {{"how", how}})) {
      CHECK(each.json.at("sum") == 10);
      CHECK(each.json.at("attempt") == 2);
      CHECK(each.json.at("from").get<int>() >= 5);
    }
  }
}

TEST_CASE("a run continues without a lost node once min_nodes have joined, and ends with fewer nodes") {
  Nodes nodes(2);
  TrainerOptions options = on_nodes(nodes, 2);
  options.cluster.min_nodes = 1;
  options.timeouts.start = std::chrono::seconds(4);
  Trainer trainer(options);
  RunHandle running = trainer.run_generator("wait_and_count");
  REQUIRE(running.next());
  nodes[1].signal(SIGKILL);
  const RunResults& results = running.returns();
  for (const TaskResult& each : results) CHECK(each.json.at("node") == "node0");
  CHECK(results[1].json.at("attempt") == 2);

  options.cluster.min_nodes = 2;
  options.timeouts.start = std::chrono::seconds(2);
  trainer.shutdown();
  const std::string said = message_of([&] { const Trainer too_few(options); });
  CHECK_MESSAGE(said.find("of 2 nodes did not join in time") != std::string::npos, said);
}

TEST_CASE("nodes that join and leave change the number of workers of the next run") {
  Nodes nodes(3);
  TrainerOptions options = on_nodes(nodes, 3);
  options.cluster.min_nodes = 1;
  options.num_workers = {1, 3};
  options.cpus_per_worker = usable_cores();  // so one worker on each node
  options.timeouts.start = kPatience;
  nodes[2].signal(SIGKILL);
  Trainer trainer(options);
  const auto runs_on = [&](std::size_t count) {
    return comes_true([&] { return trainer.run("place").size() == count; }, kPatience);
  };
  CHECK(runs_on(2));
  nodes.start(2);
  CHECK(runs_on(3));
  ::kill(nodes[0].pid(), SIGTERM);
  CHECK(runs_on(2));
  CHECK(nodes[0].wait() == 0);
}

TEST_CASE("a trainer whose nodes failed to return works again when they join") {
  Nodes nodes(2);
  TrainerOptions options = on_nodes(nodes, 2);
  options.timeouts.start = std::chrono::seconds(kSanitized ? 10 : 1);
  std::optional<Trainer> trainer;
  for (int tries = 0; !trainer && tries < 20; ++tries) try {  // nodes also need time to start
      trainer.emplace(options);
    } catch (const Error& error) {
      REQUIRE(error.code() == ErrorCode::timeout);
    }
  REQUIRE(trainer);
  RunHandle running = trainer->run_generator("wait_and_count");
  REQUIRE(running.next());
  nodes[1].signal(SIGKILL);
  CHECK(code_of([&] { running.returns(); }) == ErrorCode::timeout);
  CHECK(code_of([&] { running.returns(); }) == ErrorCode::timeout);
  CHECK(code_of([&] { trainer->run("ten"); }) == ErrorCode::timeout);
  CHECK(trainer->workers().workers().empty());
  nodes.start(1);
  RunResults results;
  for (int tries = 0; results.empty() && tries < 20; ++tries) try {
      results = trainer->run("ten");
    } catch (const Error& error) {
      REQUIRE(error.code() == ErrorCode::timeout);
    }
  REQUIRE(results.size() == 2);
  CHECK(results[1].json.at("sum") == 10);
}

TEST_CASE("options that are invalid for nodes are errors before anything starts") {
  TrainerOptions options = trainer_options(Placement::cluster, 2);
  options.num_workers = {1, inf};
  CHECK(code_of([&] { const Trainer unknown(options); }) == ErrorCode::invalid_argument);
  options.num_workers = 2;
  options.backend = "store";
  CHECK(code_of([&] { const Trainer store(options); }) == ErrorCode::unsupported);
}
