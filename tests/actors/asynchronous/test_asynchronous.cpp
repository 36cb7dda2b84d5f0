#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <thread>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/algorithms.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/patience.hpp"
#include "troupe/troupe.hpp"

// Tests of asynchronous replicas through the public interface.
using namespace troupe;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;
using troupe_test::kPlacements;
using troupe_test::kSanitized;
using troupe_test::quiet_options;
using troupe_test::record_of;
using troupe_test::replay_of;

namespace {

Options asynchronous(const std::string& algorithm, Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.algorithm = algorithm_by_name(algorithm);
  options.config = R"({"data": "synthetic-linear", "batch_size": 50})";
  options.num_shards = 4;
  edit(options)->learning_rate = 0.02;
  return options;
}

/// Returns a creator of models with four parameters. A batch has `samples` samples, and every element of its gradient
/// is `gradient`.
ModelCreator gives(std::function<int(const ShardStep&)> samples, std::function<float(const ShardStep&)> gradient) {
  return [=](int, int) {
    return std::make_unique<models::FunctionModel>(
        4,
        [=](const ShardStep& at, std::span<const float>) {
          return BatchResult{0, samples(at)};
        },
        [=](const ShardStep& at, std::span<const float>, std::span<float> out) {
          std::ranges::fill(out, gradient(at));
        });
  };
}

/// Checks that the weights are the known optimum of the linear regression.
void check_solved(const std::vector<float>& weights) {
  REQUIRE(weights.size() == 4);
  for (int i = 0; i < 4; ++i)
    CHECK(weights[static_cast<std::size_t>(i)] ==
          doctest::Approx(std::array{5, 3, 2, 1}[static_cast<std::size_t>(i)]).epsilon(1e-3));
}

}  // namespace

TEST_CASE("asynchronous replicas find the optimum of a convex problem, with every placement") {
  for (const Placement placement : kPlacements)
    for (const char* algorithm : {"downpour", "ssp"})
      for (const int workers : kSanitized ? std::vector{3} : std::vector{1, 2, 4}) {
        CAPTURE(placement);
        CAPTURE(algorithm);
        CAPTURE(workers);
        DistributedSGD sgd("linear", asynchronous(algorithm, placement, workers));
        std::int64_t pushes = 0;
        std::int64_t samples = 0;
        for (int step = 1; step <= 1500; ++step) {
          const StepReport report = sgd.step();
          REQUIRE(report.step == step);
          REQUIRE(report.algorithm == algorithm);
          samples += report.samples;
          for (const WorkerTraffic& each : report.asynchronous.workers) pushes += each.pushes;
        }
        CHECK(samples >= 1500 * 200);
        // A worker pushes the gradients of all its shards together.
        const int most_shards = (4 + workers - 1) / workers;
        CHECK(pushes >= 1500 * 4 / most_shards);
        check_solved(sgd.weights());
      }
}

TEST_CASE("gradients are summed until push_every steps, and weights are fetched every fetch_every steps") {
  Options options = asynchronous("downpour", Placement::in_process, 2);
  std::get<Downpour>(options.algorithm).fetch_every = 5;
  std::get<Downpour>(options.algorithm).push_every = 10;
  edit(options)->learning_rate = 0.004;
  DistributedSGD sgd("linear", options);
  std::int64_t fetches = 0;
  std::int64_t pushes = 0;
  std::int64_t bytes = 0;
  for (int step = 0; step < 4000; ++step) {
    const AsynchronousReport report = sgd.step().asynchronous;
    bytes += report.bytes_pushed;
    for (const WorkerTraffic& each : report.workers) {
      fetches += each.fetches;
      pushes += each.pushes;
    }
  }
  CHECK(std::abs(pushes - 2 * 400) <= 2);
  CHECK(std::abs(fetches - 2 * 800) <= 4);
  CHECK(bytes == pushes * 16);
  check_solved(sgd.weights());
}

TEST_CASE("downpour with one worker makes steps bitwise identical to synchronous steps") {
  Options options = asynchronous("downpour", Placement::in_process, 1);
  edit(options)->momentum = 0.9;
  DistributedSGD downpour("linear", options);
  options.algorithm = Synchronous();
  DistributedSGD synchronous("linear", options);
  for (int step = 0; step < 20; ++step) CHECK(downpour.step().loss == doctest::Approx(synchronous.step().loss));
  synchronous.step();  // the step that the worker computes at the same time is applied before weights are read
  CHECK(downpour.weights() == synchronous.weights());
}

TEST_CASE("ssp with staleness 0 is bitwise identical to synchronous steps") {
  for (const Placement placement : kPlacements) {
    Options options = asynchronous("ssp", placement, 4);
    std::get<Ssp>(options.algorithm).staleness = 0;
    DistributedSGD stale("linear", options);
    options.algorithm = Synchronous();
    DistributedSGD synchronous("linear", options);
    for (int step = 0; step < 30; ++step) {
      stale.step();
      synchronous.step();
    }
    CHECK(stale.weights() == synchronous.weights());
  }
}

TEST_CASE("weights read between steps are one version, and the run can continue from their state") {
  for (const Placement placement : kPlacements) {
    const TemporaryFolder folder;
    DistributedSGD sgd("linear", asynchronous("downpour", placement, 3));
    for (int step = 0; step < 50; ++step) sgd.step();
    const auto weights = sgd.weights();
    CHECK(sgd.weights() == weights);
    sgd.save_state(folder / "state");
    sgd.resize(2);
    for (int step = 0; step < 50; ++step) sgd.step();
    CHECK(sgd.weights() != weights);
    sgd.load_state(folder / "state");
    CHECK(sgd.weights() == weights);
    CHECK(sgd.steps_done() == 50);
    CHECK(sgd.step().step == 51);
  }
}

TEST_CASE("an algorithm takes over weights and state from another algorithm, by use() or after a warm start") {
  const auto steps = [](DistributedSGD& sgd, int count, const std::string& algorithm) {
    for (int step = 0; step < count; ++step) CHECK(sgd.step().algorithm == algorithm);
  };
  for (const Placement placement : kPlacements) {
    DistributedSGD changing("linear", asynchronous("synchronous", placement, 2));
    steps(changing, 50, "synchronous");
    changing.use(Downpour());
    steps(changing, 300, "downpour");
    changing.use(Ssp{.staleness = 3});
    steps(changing, 300, "ssp");
    const auto weights = changing.weights();
    changing.use(Synchronous());
    CHECK(changing.weights() == weights);
    steps(changing, 300, "synchronous");
    check_solved(changing.weights());
    CHECK(changing.steps_done() == 950);
    CHECK(code_of([&] { changing.use(Downpour{.fetch_every = 0}); }) == ErrorCode::invalid_argument);
    steps(changing, 1, "synchronous");

    Options options = asynchronous("downpour", placement, 1);  // a single worker is deterministic
    edit(options)->momentum = 0.9;
    std::get<Downpour>(options.algorithm).warm_start = 7;
    DistributedSGD warm("linear", options);
    warm.warmup();
    steps(warm, 7, "synchronous");
    steps(warm, 5, "downpour");
    warm.warmup();
    steps(warm, 9, "downpour");
    options.algorithm = Synchronous();
    DistributedSGD plain("linear", options);
    steps(plain, 22, "synchronous");  // including the step that the worker computed at the same time
    CHECK(warm.weights() == plain.weights());
  }
}

TEST_CASE("gradients of weights that are too old are dropped and counted") {
  Options options = asynchronous("downpour", Placement::in_process, 4);
  std::get<Downpour>(options.algorithm).max_staleness = 1;
  DistributedSGD sgd("linear", options);
  std::int64_t dropped = 0;
  for (int step = 0; step < 2000; ++step) {
    const AsynchronousReport report = sgd.step().asynchronous;
    CHECK(report.staleness.largest <= 1);
    for (const WorkerTraffic& each : report.workers) dropped += each.dropped;
  }
  CHECK(dropped > 0);
  check_solved(sgd.weights());
}

TEST_CASE("a push that is not finite is refused with an error that names the worker, and the weights stay finite") {
  for (const Placement placement : kPlacements) {
    Options options = quiet_options(placement, 2);
    options.algorithm = Downpour();
    options.config = "4000";
    edit(options)->learning_rate = 1e30;
    DistributedSGD sgd("noise", options);
    std::optional<Error> error;
    for (int step = 0; step < 50 && !error; ++step) try {
        sgd.step();
      } catch (const Error& thrown) {
        error = thrown;
      }
    REQUIRE(error);
    CHECK((error->code() == ErrorCode::non_finite_weights || error->code() == ErrorCode::non_finite_loss));
    CHECK(error->where().worker >= 0);
    CHECK(error->message().find("is refused") != std::string::npos);
    CHECK(all_finite(sgd.weights()));
    sgd.set_learning_rate(1e-3);
    // Both workers still push. The error of the other worker may arrive with a later step.
    std::set<int> refused{error->where().worker};
    std::set<int> pushing;
    for (int step = 0; step < 100'000 && pushing.size() < 2; ++step) try {
        const StepReport report = sgd.step();
        for (const WorkerTraffic& each : report.asynchronous.workers)
          if (each.pushes > 0) pushing.insert(each.worker);
      } catch (const Error& another) {
        CHECK((another.code() == ErrorCode::non_finite_weights || another.code() == ErrorCode::non_finite_loss));
        CHECK(refused.insert(another.where().worker).second);
      }
    CHECK(pushing == std::set{0, 1});
  }
}

TEST_CASE("a replay of a record is bitwise identical to the recorded run, also after other calls and deaths") {
  for (const Placement placement : kPlacements)
    for (const char* algorithm : {"downpour", "ssp"}) {
      CAPTURE(placement);
      CAPTURE(algorithm);
      const TemporaryFolder folder;
      Options options = asynchronous(algorithm, placement, 3);
      edit(options)->kind = "adagrad";
      if (auto* const downpour = std::get_if<Downpour>(&options.algorithm))
        *downpour = {.fetch_every = 3, .push_every = 2};
      const auto run = [](Options of) {
        const bool of_record = !replay_of(of).empty();
        DistributedSGD sgd("linear", std::move(of));
        std::vector<std::vector<float>> weights;
        for (int step = 1; step <= 60; ++step) {
          sgd.step();
          if (step % 20 == 0) weights.push_back(sgd.weights());
        }
        if (of_record) CHECK(code_of([&] { sgd.step(); }) == ErrorCode::bad_file);
        return weights;
      };
      record_of(options) = folder / "record";
      if (placement == Placement::processes) {
        options.fault_tolerance.max_failures = 5;
        options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 30}};
      }
      const auto recorded = run(options);
      options.fault_tolerance.faults = {};
      record_of(options) = folder / "again";
      replay_of(options) = folder / "record";
      const auto replayed = run(options);
      CHECK(replayed == recorded);
    }
}

TEST_CASE("a replay makes its steps at the same points as the record, so scheduled learning rates are the same") {
  const TemporaryFolder folder;
  Options options = asynchronous("downpour", Placement::in_process, 4);
  edit(options)->schedule.warmup_steps = 150;
  const auto run = [](const Options& of) {
    DistributedSGD sgd("linear", of);
    for (int step = 0; step < 100; ++step) sgd.step();
    sgd.set_learning_rate(0.001);
    for (int step = 0; step < 50; ++step) sgd.step();
    return sgd.weights();
  };
  for (int record = 0; record < 3; ++record) {
    options.algorithm = Downpour{.record = folder / "record"};
    const auto recorded = run(options);
    options.algorithm = Downpour{.replay = folder / "record"};
    CHECK(run(options) == recorded);
  }
}

TEST_CASE("a record of a run with many deaths can be replayed") {
  const TemporaryFolder folder;
  for (int seed = 1; seed <= (kSanitized ? 1 : 4); ++seed) {
    CAPTURE(seed);
    Options options = asynchronous("downpour", Placement::processes, 3);
    options.num_shards = 7;
    options.fault_tolerance.max_failures = 20;
    options.algorithm = Downpour{.fetch_every = 3, .push_every = 2, .record = folder / "record"};
    options.fault_tolerance.faults = {
        testing::RandomKills{.count = 4, .first_step = 5, .last_step = 110, .seed = static_cast<std::uint64_t>(seed)}};
    const auto run = [](const Options& of) {
      DistributedSGD sgd("linear", of);
      for (int step = 0; step < 120; ++step) sgd.step();
      return sgd.weights();
    };
    const auto recorded = run(options);
    options.fault_tolerance.faults.clear();
    options.placement = Placement::in_process;
    options.algorithm = Downpour{.fetch_every = 3, .push_every = 2, .replay = folder / "record"};
    CHECK(run(options) == recorded);
  }
}

TEST_CASE("load_state() also resets the position in the data") {
  const TemporaryFolder folder;
  Options options = asynchronous("downpour", Placement::in_process, 2);
  record_of(options) = folder / "record";
  DistributedSGD sgd("linear", options);
  for (int step = 0; step < 5; ++step) sgd.step();
  sgd.save_state(folder / "state");
  for (int step = 0; step < 20; ++step) sgd.step();
  sgd.load_state(folder / "state");
  const std::size_t before = read_file(folder / "record").size();
  sgd.step();
  const std::string since = read_file(folder / "record").substr(before);
  CHECK(since.find(R"({"worker":0,"clock":5,"computes":true})") != std::string::npos);
  CHECK(since.find(R"({"worker":1,"clock":5,"computes":true})") != std::string::npos);
}

TEST_CASE("a gradient refused while workers stop is an error of the next step") {
  const auto once = [](int bad_step) {
    Options options = quiet_options(Placement::in_process, 1);
    options.algorithm = Downpour();
    DistributedSGD sgd(gives([](const ShardStep&) { return 1; },
                             [=](const ShardStep& at) { return at.step == bad_step ? NAN : 1.0F; }),
                       options);
    int told = 0;
    for (int step = 0; step < 20; ++step) {
      told += code_of([&] { sgd.step(); }) == ErrorCode::non_finite_loss ? 1 : 0;
      sgd.weights();
    }
    return told;
  };
  for (int step = 4; step < 10; ++step) CHECK(once(step) == 1);
}

TEST_CASE("shards without samples make no step and delay no other worker") {
  const auto run = [](int shards_with_samples) {
    Options options = quiet_options(Placement::in_process, 4);
    options.algorithm = Downpour();
    DistributedSGD sgd(gives([=](const ShardStep& at) { return at.shard < shards_with_samples ? 1 : 0; },
                             [](const ShardStep&) { return 1.0F; }),
                       options);
    std::int64_t samples = 0;
    for (int step = 0; step < 50; ++step) samples += sgd.step().samples;
    return samples;
  };
  CHECK(run(4) >= 200);
  CHECK(run(1) >= 200);
  CHECK(code_of([&] { run(0); }) == ErrorCode::bad_data);
}

TEST_CASE("a replay that differs from its record is refused, and a failed run does not damage the record") {
  const TemporaryFolder folder;
  Options options = asynchronous("downpour", Placement::in_process, 2);
  record_of(options) = folder / "record";
  const auto steps = [](const Options& of, int count) {
    DistributedSGD sgd("linear", of);
    for (int step = 0; step < count; ++step) sgd.step();
    return sgd.weights();
  };
  const auto weights = steps(options, 20);
  const std::string recorded = read_file(folder / "record");
  const auto bad = [&](Options of) { return code_of([&] { steps(of, 20); }); };
  replay_of(options) = folder / "record";
  CHECK(bad(options) == ErrorCode::invalid_argument);  // record and replay are the same file
  replay_of(options) = folder / "./record";
  CHECK(bad(options) == ErrorCode::invalid_argument);
  replay_of(options).clear();
  options.num_workers = 0;
  CHECK(bad(options) == ErrorCode::invalid_argument);
  CHECK(read_file(folder / "record") == recorded);
  options.num_workers = 2;
  record_of(options).clear();
  replay_of(options) = folder / "replay";
  const auto replay = [&](const std::string& text) {
    write_file(folder / "replay", text);
    return bad(options);
  };
  CHECK(replay(recorded.substr(0, recorded.size() / 2)) == ErrorCode::bad_file);
  CHECK(replay(recorded.substr(0, recorded.rfind('{'))) == ErrorCode::bad_file);
  CHECK(replay(R"({"worker":0,"clock":-5,"pushes":false,"fetches":true})") == ErrorCode::bad_file);
  CHECK(replay(R"({"worker":1e99,"clock":5,"computes":true})") == ErrorCode::bad_file);
  CHECK(replay("no record") == ErrorCode::bad_file);
  CHECK(replay(recorded + R"({"worker":0,"clock":9223372036854775807,"computes":true})") == ErrorCode::bad_file);
  Options other = options;
  other.seed = 2;
  CHECK(bad(other) == ErrorCode::bad_file);
  other.seed = options.seed;
  other.num_shards = 3;
  CHECK(message_of([&] { steps(other, 20); }).find("shards") != std::string::npos);
  write_file(folder / "replay", recorded);
  CHECK(steps(options, 20) == weights);
  CHECK(code_of([&] { steps(options, 10); }) == ErrorCode::bad_file);  // the recorded run had no stop at this step
}

TEST_CASE("options that asynchronous algorithms do not support are refused") {
  const auto refused = [](const std::string& words, ErrorCode code, const std::function<void(Options&)>& change) {
    Options options = asynchronous("downpour", Placement::in_process, 2);
    change(options);
    CAPTURE(words);
    const auto start = [&] { DistributedSGD("linear", options); };
    CHECK(code_of(start) == code);
    CHECK(message_of(start).find(words) != std::string::npos);
  };
  refused("fetch_every is 0", ErrorCode::invalid_argument,
          [](Options& o) { o.algorithm = Downpour{.fetch_every = 0}; });
  refused("push_every is -1", ErrorCode::invalid_argument,
          [](Options& o) { o.algorithm = Downpour{.push_every = -1}; });
  refused("staleness is -1", ErrorCode::invalid_argument, [](Options& o) { o.algorithm = Ssp{.staleness = -1}; });
  refused("max_staleness is -2", ErrorCode::invalid_argument,
          [](Options& o) { o.algorithm = Downpour{.max_staleness = -2}; });
  refused("push_every is 2000000", ErrorCode::invalid_argument,
          [](Options& o) { o.algorithm = Downpour{.push_every = 2000000}; });
  refused("warm_start is -1", ErrorCode::invalid_argument,
          [](Options& o) { o.algorithm = Downpour{.warm_start = -1}; });
  refused("servers is 257", ErrorCode::invalid_argument, [](Options& o) { o.algorithm = Downpour{.servers = 257}; });
  refused("record and replay are for", ErrorCode::invalid_argument,
          [](Options& o) { o.algorithm = Ssp{.staleness = 0, .record = "record"}; });
  refused("writes no checkpoints", ErrorCode::invalid_argument, [](Options& o) {
    replay_of(o) = "record";
    o.checkpoint.folder = "folder";
    o.checkpoint.every_steps = 10;
  });
  refused("cannot write", ErrorCode::bad_file, [](Options& o) { record_of(o) = "/nonexistent/record"; });
  refused("not a regular file", ErrorCode::bad_file, [](Options& o) { replay_of(o) = "/tmp"; });
  refused("clip_norm", ErrorCode::unsupported, [](Options& o) { o.gradients.clip_norm = 1; });
  refused("groups", ErrorCode::unsupported, [](Options& o) { edit(o)->groups = {{"*", 0.0}}; });
  refused("backup", ErrorCode::unsupported, [](Options& o) { o.fault_tolerance.backup_workers = 1; });
  refused("strategy", ErrorCode::unsupported, [](Options& o) { o.gradients.strategy = Strategy::driver; });
}

TEST_CASE("a worker process that dies is replaced once, and its replacement starts with a fetch") {
  for (const char* algorithm : {"downpour", "ssp"}) {
    CAPTURE(algorithm);
    Options options = asynchronous(algorithm, Placement::processes, 3);
    options.fault_tolerance.max_failures = 10;
    options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 100},
                                      testing::KillWorker{.worker = 0, .step = 200, .phase = "apply"},
                                      testing::KillWorker{.worker = 2, .step = 300}};
    DistributedSGD sgd("linear", options);
    std::vector<int> replaced;
    for (int step = 0; step < 1500; ++step)
      for (const Repair& repair : sgd.step().repairs) replaced.push_back(repair.worker);
    CHECK(replaced == std::vector<int>{1, 0, 2});
    check_solved(sgd.weights());
  }
}

TEST_CASE("each algorithm can be found by its name, and a misspelled name yields a suggestion") {
  for (const std::string& name : algorithm_names()) CHECK(to_string(algorithm_by_name(name)) == name);
  CHECK(message_of([] { algorithm_by_name("downpuor"); }).find("did you mean 'downpour'") != std::string::npos);
  CHECK(code_of([] { algorithm_by_name("lokal"); }) == ErrorCode::invalid_argument);
}
