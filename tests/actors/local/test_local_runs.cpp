#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "actors/local/plain_local.hpp"
#include "actors/optimizers/grouped_model.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "runtime/processes/memory.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;

// Tests of events during runs of local SGD: deaths and changing numbers of workers, checkpoints, changes of the
// algorithm.
namespace {

constexpr const char* kRunConfig = "4 64";
constexpr int kRunSteps = 3;

Options local_run(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.algorithm = LocalSgd{.steps = kRunSteps, .outer = OuterNesterov()};
  options.num_shards = 5;
  options.config = kRunConfig;
  edit(options)->kind = "adamw";
  edit(options)->learning_rate = 0.03;
  return options;
}

std::vector<float> plain_weights(const Options& options, int calls) {
  GroupedModel model(kRunConfig);
  PlainLocal plain(model, options);
  for (int call = 0; call < calls; ++call) plain.call();
  return plain.weights();
}

std::string local_state(DistributedSGD& sgd, const std::string& path) {
  sgd.save_state(path);
  return read_file(path + "/weights.safetensors") + read_file(path + "/state.safetensors");
}

}  // namespace

TEST_CASE("local SGD resumed from a checkpoint is bitwise identical for any number of workers") {
  const TemporaryFolder folder;
  DistributedSGD first("grouped", local_run(Placement::in_process, 2));
  first.step();
  first.step();
  first.save_state(folder / "state");
  const std::string saved = local_state(first, folder / "again");
  for (const Placement placement : kPlacements)
    for (const int workers : {1, 3, 5}) {
      if (kSanitized && placement == Placement::processes && workers != 3) continue;
      CAPTURE(workers);
      Options options = local_run(placement, workers);
      DistributedSGD second("grouped", options);
      second.step();  // load_state must discard the state of this step
      second.load_state(folder / "state");
      CHECK(second.steps_done() == 2 * kRunSteps);
      CHECK((local_state(second, folder / "loaded") == saved));
      second.step();
      second.step();
      REQUIRE(second.weights() == plain_weights(options, 4));
    }
  // The results depend on the state of shards and of the outer rule.
  DistributedSGD forgetful("grouped", local_run(Placement::in_process, 2));
  forgetful.load_state(folder / "state");
  forgetful.set_weights(forgetful.weights());
  forgetful.step();
  forgetful.step();
  CHECK(forgetful.weights() != plain_weights(local_run(Placement::in_process, 2), 4));
}

TEST_CASE("a checkpoint that is due within a call of local SGD is written after the call, and can be resumed") {
  const TemporaryFolder folder;
  Options options = local_run(Placement::in_process, 2);
  options.checkpoint = {.folder = folder / "run", .every_steps = 4, .keep = 10};
  {
    DistributedSGD sgd("grouped", options);
    for (int call = 1; call <= 5; ++call) {
      sgd.step();
      if (call % 2 == 0) sgd.checkpoint();  // waits until the current checkpoint is written
    }
  }
  std::set<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(folder / "run")) names.insert(each.path().filename());
  CHECK(names.contains("step-00000006"));  // step 4 is in the second call
  CHECK(names.contains("step-00000009"));  // step 8
  CHECK(names.contains("step-00000012"));  // step 12
  CHECK_FALSE(names.contains("step-00000003"));
  CHECK_FALSE(names.contains("step-00000015"));
  Options again = local_run(Placement::processes, 3);
  again.checkpoint = {.folder = folder / "run", .resume = true};
  DistributedSGD sgd("grouped", again);
  CHECK(sgd.steps_done() == 12);
  sgd.step();
  CHECK(sgd.weights() == plain_weights(again, 5));
}

TEST_CASE("an algorithm refuses checkpoints of another algorithm") {
  const TemporaryFolder folder;
  DistributedSGD local("grouped", local_run(Placement::in_process, 2));
  local.step();
  local.save_state(folder / "local");
  Options options = local_run(Placement::in_process, 2);
  options.algorithm = Synchronous();
  DistributedSGD synchronous("grouped", options);
  synchronous.step();
  const auto weights = synchronous.weights();
  CHECK(code_of([&] { synchronous.load_state(folder / "local"); }) == ErrorCode::model_mismatch);
  CHECK(synchronous.weights() == weights);
  synchronous.save_state(folder / "synchronous");
  CHECK(code_of([&] { local.load_state(folder / "synchronous"); }) == ErrorCode::model_mismatch);
  local.step();
  CHECK(local.weights() == plain_weights(local_run(Placement::in_process, 2), 2));
}

TEST_CASE("workers of local SGD that die are replaced, and results stay bitwise identical") {
  Options options = local_run(Placement::processes, 3);
  options.fault_tolerance.max_failures = 100;
  options.fault_tolerance.faults = {testing::KillWorker{.worker = 1, .step = 2, .phase = "compute"},
                                    testing::KillWorker{.worker = 0, .step = 4, .phase = "apply"},
                                    testing::KillWorker{.worker = 2, .step = 9, .phase = "apply"}};
  DistributedSGD sgd("grouped", options);
  std::multiset<int> lost;  // a loss may be detected in a later round
  for (int call = 0; call < 5; ++call)
    for (const Repair& repair : sgd.step().repairs) lost.insert(repair.worker);
  CHECK(lost == std::multiset<int>{0, 1, 2});
  CHECK(sgd.weights() == plain_weights(options, 5));
}

TEST_CASE("random kills and changing numbers of workers do not change the results of local SGD") {
  for (int seed = 1; seed <= (kSanitized ? 1 : 2); ++seed) {
    CAPTURE(seed);
    Options options = local_run(Placement::processes, 3);
    options.fault_tolerance.max_failures = 100;
    options.fault_tolerance.faults = {
        testing::RandomKills{.count = 4, .first_step = 2, .last_step = 17, .seed = static_cast<std::uint64_t>(seed)}};
    DistributedSGD sgd("grouped", options);
    for (const int workers : {3, 2, 3, 5, 1, 4}) {
      sgd.resize(workers);
      sgd.step();
    }
    CHECK(sgd.weights() == plain_weights(options, 6));
  }
}

TEST_CASE("use() passes the weights to and from local SGD, and resets all other state to zeros") {
  for (const Placement placement : kPlacements) {
    Options options = local_run(placement, 2);
    options.config = "4";  // no statistics, because the synchronous loops below omit them
    options.algorithm = Synchronous();
    edit(options)->kind = "sgd";
    edit(options)->momentum = 0.9;
    DistributedSGD sgd("grouped", options);
    options.algorithm = LocalSgd{.steps = 2, .outer = OuterNesterov{.learning_rate = 0.5, .momentum = 0.8}};
    GroupedModel model(options.config);
    PlainLocal plain(model, options);
    for (int round = 0; round < 2; ++round) {
      for (int step = 0; step < 3; ++step) {
        CHECK(sgd.step().algorithm == "synchronous");
        plain.synchronous_step();
      }
      REQUIRE(sgd.weights() == plain.weights());
      plain.forget();
      sgd.use(options.algorithm);
      CHECK(sgd.weights() == plain.weights());
      for (int call = 0; call < 2; ++call) {
        CHECK(sgd.step().algorithm == "local");
        plain.call();
      }
      REQUIRE(sgd.weights() == plain.weights());
      CHECK(sgd.steps_done() == plain.steps());
      plain.forget();
      sgd.use(Synchronous());
    }
  }
}

TEST_CASE("a run of local SGD can start with synchronous steps") {
  Options options = local_run(Placement::in_process, 3);
  options.config = "4";
  edit(options)->kind = "sgd";
  edit(options)->momentum = 0.9;
  std::get<LocalSgd>(options.algorithm).warm_start = 4;
  GroupedModel model(options.config);
  PlainLocal plain(model, options);
  DistributedSGD sgd("grouped", options);
  for (int step = 1; step <= 4; ++step) {
    const StepReport report = sgd.step();
    CHECK(report.algorithm == "synchronous");
    CHECK(report.local.steps == 0);
    plain.synchronous_step();
  }
  plain.forget();
  for (int call = 1; call <= 3; ++call) {
    const StepReport report = sgd.step();
    CHECK(report.algorithm == "local");
    CHECK(report.step == 4 + call * kRunSteps);
    plain.call();
  }
  CHECK(sgd.weights() == plain.weights());
}

TEST_CASE("set_weights resets all other state to zeros") {
  Options options = local_run(Placement::in_process, 2);
  DistributedSGD sgd("grouped", options);
  const auto begun = sgd.weights();
  sgd.step();
  sgd.set_weights(begun);
  sgd.step();
  sgd.set_weights(begun);
  sgd.step();
  DistributedSGD other("grouped", options);
  other.set_learning_rate(0);  // such a step changes only statistics and the state of the optimizer
  for (int call = 0; call < 2; ++call) other.step();
  other.set_weights(begun);
  other.set_learning_rate(settings_of(options).learning_rate);
  other.step();
  CHECK(sgd.weights() == other.weights());
}

TEST_CASE("state_bytes includes the state of shards of local SGD, also before the first step") {
  DistributedSGD sgd("grouped", local_run(Placement::in_process, 2));
  const std::int64_t told = sgd.state_bytes();
  const auto pages = static_cast<std::int64_t>((sgd.weights().size() + kPageFloats - 1) / kPageFloats);
  // Two buffers each contain the weights, the outer rule's vector, and AdamW's two vectors for each of five shards.
  CHECK(told == 2 * (1 + 1 + 5 * 2) * pages * static_cast<std::int64_t>(kPageBytes));
  CHECK(sgd.step().state_bytes == told);
}
