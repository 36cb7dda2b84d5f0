#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/lbfgs/lbfgs_trial.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/temporary_folder.hpp"

using namespace troupe;
using namespace troupe_test;

// Checkpoints of L-BFGS, and changes between L-BFGS and other algorithms.

TEST_CASE("L-BFGS resumed from a checkpoint is bitwise identical for any number of workers") {
  const TemporaryFolder folder;
  for (const int saved_at : {1, 2, 5}) {
    DistributedSGD first("smooth", steady(Placement::in_process, 2));
    for (int step = 0; step < saved_at; ++step) first.step();
    const std::string saved = saved_state(first, folder / "state");
    for (int step = saved_at; step < kSteadySteps; ++step) first.step();
    const std::string expected = saved_state(first, folder / "end");
    for (const auto& [placement, workers] :
         {std::pair{Placement::in_process, 1}, {Placement::in_process, 4}, {Placement::processes, 3}}) {
      CAPTURE(saved_at);
      CAPTURE(workers);
      DistributedSGD second("smooth", steady(placement, workers));
      second.step();  // load_state must discard the history of these steps
      second.step();
      second.load_state(folder / "state");
      CHECK(second.steps_done() == saved_at);
      CHECK((saved_state(second, folder / "loaded") == saved));
      for (int step = saved_at; step < kSteadySteps; ++step) {
        const StepReport report = second.step();
        CHECK(report.lbfgs.pairs == std::min(step, 3));
        CHECK(report.lbfgs.objective == undisturbed().objectives[static_cast<std::size_t>(step)]);
      }
      CHECK((second.weights() == undisturbed().weights));
      CHECK((saved_state(second, folder / "second") == expected));
    }
  }
}

TEST_CASE("checkpoints written during steps of L-BFGS contain their step, and runs can resume from them") {
  const TemporaryFolder folder;
  Options options = steady(Placement::processes, 2);
  options.checkpoint = {.folder = folder / "run", .every_steps = 2, .keep = 10};
  {
    DistributedSGD sgd("smooth", options);
    check_undisturbed(go_on(sgd, kSteadySteps));
    CHECK(sgd.report().checkpoint.error.empty());
    sgd.checkpoint();  // checkpoints that were due during another write were skipped
  }
  int found = 0;
  for (const char* name : {"step-00000002", "step-00000004", "step-00000006"}) {
    if (!std::filesystem::exists(folder / ("run/" + std::string(name)))) continue;
    ++found;
    DistributedSGD sgd("smooth", steady(Placement::in_process, 3));
    sgd.load_state(folder / ("run/" + std::string(name)));
    while (sgd.steps_done() < kSteadySteps) sgd.step();
    CHECK((sgd.weights() == undisturbed().weights));
  }
  CHECK(found > 0);
  options.checkpoint.resume = true;
  DistributedSGD again("smooth", options);
  CHECK(again.steps_done() == kSteadySteps);
  CHECK((again.weights() == undisturbed().weights));
  again.step();
  Options plain = steady(Placement::in_process, 1);
  CHECK((again.weights() == weights_after(plain, kSteadySteps + 1)));
}

TEST_CASE("L-BFGS refuses checkpoints of other algorithms or of another history length") {
  const TemporaryFolder folder;
  DistributedSGD lbfgs("smooth", steady(Placement::in_process, 2));
  lbfgs.step();
  lbfgs.save_state(folder / "lbfgs");
  Options options = steady(Placement::in_process, 2);
  options.algorithm = Synchronous();
  edit(options)->kind = "adam";
  DistributedSGD adam("smooth", options);
  adam.step();
  adam.save_state(folder / "adam");
  CHECK(code_of([&] { lbfgs.load_state(folder / "adam"); }) == ErrorCode::model_mismatch);
  CHECK(code_of([&] { adam.load_state(folder / "lbfgs"); }) == ErrorCode::model_mismatch);
  options = steady(Placement::in_process, 2);
  std::get<Lbfgs>(options.algorithm).history = 4;
  DistributedSGD longer("smooth", options);
  CHECK(code_of([&] { longer.load_state(folder / "lbfgs"); }) == ErrorCode::model_mismatch);
  for (int step = 1; step < kSteadySteps; ++step) lbfgs.step();
  CHECK((lbfgs.weights() == undisturbed().weights));
}

TEST_CASE("set_weights and load discard the history") {
  const TemporaryFolder folder;
  DistributedSGD sgd("smooth", steady(Placement::in_process, 2));
  const auto begun = sgd.weights();
  sgd.save(folder / "weights");
  for (const bool loads : {false, true}) {
    for (int step = 0; step < 4; ++step) sgd.step();
    if (loads)
      sgd.load(folder / "weights");
    else
      sgd.set_weights(begun);
    Course course;
    for (int step = 0; step < kSteadySteps; ++step) {
      const StepReport report = sgd.step();
      CHECK(report.lbfgs.pairs == std::min(step, 3));
      course.note(report);
    }
    course.weights = sgd.weights();
    check_undisturbed(course);
  }
}

TEST_CASE("the gradient at the current weights is discarded when weights are set, even within the same step") {
  DistributedSGD sgd("smooth", steady(Placement::in_process, 2));
  const auto begun = sgd.weights();
  std::vector<float> others(begun.size(), 0.25F);
  sgd.set_weights(others);
  sgd.warmup();
  sgd.set_weights(begun);
  check_undisturbed(go_on(sgd, kSteadySteps));
}

TEST_CASE("L-BFGS starts from the weights of SGD, by use() or after a warm start") {
  Options options = steady(Placement::in_process, 3);
  options.algorithm = Synchronous();
  edit(options)->learning_rate = 0.1;
  edit(options)->momentum = 0.9;
  DistributedSGD changing("smooth", options);
  for (int step = 0; step < 3; ++step) CHECK(changing.step().algorithm == "synchronous");
  const auto warm = changing.weights();
  changing.use(steady(Placement::in_process, 3).algorithm);
  CHECK((changing.weights() == warm));
  const Course course = go_on(changing, 4);
  CHECK(changing.steps_done() == 7);
  CHECK(changing.steps_per_epoch() == 1);

  DistributedSGD set("smooth", steady(Placement::in_process, 1));
  set.set_weights(warm);
  CHECK((go_on(set, 4) == course));

  options.algorithm = Lbfgs{.warm_start = 3};
  DistributedSGD started("smooth", options);
  for (int step = 0; step < 3; ++step) CHECK(started.step().algorithm == "synchronous");
  CHECK((go_on(started, 4) == course));
  CHECK(started.report().algorithm == "lbfgs");

  changing.use(Synchronous());
  CHECK((changing.weights() == course.weights));
  CHECK(changing.step().algorithm == "synchronous");
  changing.use(LocalSgd{.steps = 2});
  CHECK(changing.step().step == 10);
  Lbfgs at_once = std::get<Lbfgs>(options.algorithm);
  at_once.warm_start = 0;
  changing.use(at_once);
  const StepReport report = changing.step();
  CHECK(report.step == 11);
  CHECK(report.lbfgs.pairs == 0);
}

TEST_CASE("evaluations with L-BFGS use all samples, with any number of portions") {
  const TemporaryFolder folder;
  Options options = quiet_options(Placement::in_process, 2);
  options.config = R"({"batch_size": 5, "data": "loaded:)" + (folder / "made") + "\"}";
  options.num_shards = 3;
  DistributedSGD sgd("softmax", options);
  for (int step = 0; step < 3; ++step) sgd.step();
  const Evaluation expected = sgd.evaluate();
  sgd.use(Lbfgs{.portions = 12});
  const Evaluation evaluated = sgd.evaluate();
  CHECK(expected.samples == 30);
  CHECK(evaluated.samples == expected.samples);
  CHECK(evaluated.loss == expected.loss);
  CHECK(evaluated.accuracy == expected.accuracy);
}

TEST_CASE("a checkpoint of L-BFGS that cannot be read does not end the current warm start") {
  const TemporaryFolder folder;
  Options options = steady(Placement::in_process, 2);
  edit(options)->momentum = 0.9;
  std::get<Lbfgs>(options.algorithm).warm_start = 3;
  DistributedSGD later("smooth", options);
  for (int step = 0; step < 5; ++step) later.step();
  later.save_state(folder / "later");
  const std::string state = folder / "later/state.safetensors";
  std::string bytes = troupe::testing::read_file(state);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(state, std::ios::binary) << bytes;

  DistributedSGD sgd("smooth", options);
  DistributedSGD undisturbed("smooth", options);
  sgd.step();
  undisturbed.step();
  CHECK(code_of([&] { sgd.load_state(folder / "later"); }) == ErrorCode::bad_file);
  CHECK((sgd.weights() == undisturbed.weights()));
  for (int step = 2; step <= 3; ++step) CHECK(sgd.step().algorithm == "synchronous");
  for (int step = 4; step <= 5; ++step) CHECK(sgd.step().algorithm == "lbfgs");
  CHECK(sgd.steps_done() == 5);
}

TEST_CASE("load_state can return to the warm start, also if local SGD has the same state vectors") {
  const TemporaryFolder folder;
  Options options = steady(Placement::in_process, 2);
  options.algorithm = LocalSgd();
  edit(options)->learning_rate = 0.1;
  std::get<LocalSgd>(options.algorithm) = {.steps = 2, .warm_start = 3};
  DistributedSGD sgd("smooth", options);
  sgd.step();
  sgd.save_state(folder / "first");
  for (int step = 1; step < 5; ++step) sgd.step();
  sgd.load_state(folder / "first");
  for (int step = 2; step <= 3; ++step) {
    const StepReport report = sgd.step();
    CHECK(report.step == step);
    CHECK(report.algorithm == "synchronous");
  }
  CHECK(sgd.step().algorithm == "local");
}

TEST_CASE("local SGD loads the state of shards only with the same number of shards, with or without reshard") {
  const TemporaryFolder folder;
  Options options = steady(Placement::in_process, 2);
  options.algorithm = LocalSgd();
  edit(options)->momentum = 0.9;
  options.num_shards = 4;
  DistributedSGD sgd("smooth", options);
  sgd.step();
  sgd.save_state(folder / "state");
  options.num_shards = 2;
  options.checkpoint.reshard = true;
  DistributedSGD fewer("smooth", options);
  CHECK(code_of([&] { fewer.load_state(folder / "state"); }) == ErrorCode::model_mismatch);
  CHECK(fewer.step().step == 8);
}
