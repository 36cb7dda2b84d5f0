#include <doctest/doctest.h>

#include <filesystem>

#include "actors/state/state_trial.hpp"
#include "actors/test_models.hpp"
#include "models/files.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;
using troupe::testing::read_file;
using troupe::testing::TemporaryFolder;
using troupe::testing::write_file;

namespace {

constexpr Deal kDeals[] = {{Placement::processes, 2, 1, Strategy::sharded},
                           {Placement::in_process, 3, 2, Strategy::driver},
                           {Placement::processes, 1, 3, Strategy::driver},
                           {Placement::in_process, 4, 1, Strategy::sharded}};

Options plain(const TrialModel& model = kBatches, const std::string& optimizer = "sgd") {
  return dealt({Placement::in_process, 1, 1, Strategy::sharded}, model, optimizer);
}

/// Two identical runs. One of them is tested.
struct Twins {
  explicit Twins(const Options& options, const std::string& model = kBatches.name)
      : tested(model, options), other(model, options) {
    tested.step();
    other.step();
  }
  /// Checks that the runs are still identical.
  void check_alike() {
    CHECK(tested.weights() == other.weights());
    const StepReport report = tested.step();
    const StepReport expected = other.step();
    CHECK(report.step == expected.step);
    CHECK(report.loss == expected.loss);
    CHECK(report.state_bytes == expected.state_bytes);
    CHECK(report.pinned_bytes == 0);
    CHECK(tested.weights() == other.weights());
  }

  DistributedSGD tested;
  DistributedSGD other;
};

/// Returns the path of a checkpoint of a run with two steps.
std::string saved(const TemporaryFolder& folder, const Options& options, const TrialModel& model = kBatches) {
  const std::string path = folder / "saved";
  DistributedSGD sgd(model.name, options);
  go_on(sgd, 2, path);
  return path;
}

}  // namespace

TEST_CASE("a run that loads a checkpoint is bitwise identical to an undisturbed run, for any distribution of work") {
  const TemporaryFolder folder;
  for (const TrialModel& model : {kBatches, kStatistics})
    for (const char* optimizer : {"sgd", "adagrad", "adam"})
      for (std::size_t i = 0; i < std::size(kDeals); i += 2) {
        CAPTURE(model.name);
        CAPTURE(optimizer);
        CAPTURE(i);
        DistributedSGD whole(model.name, plain(model, optimizer));
        const Outcome expected = go_on(whole, 6, folder / "whole");
        {
          DistributedSGD first(model.name, dealt(kDeals[i], model, optimizer));
          go_on(first, 2, folder / "part");
          go_on(first, 1, folder / "part");  // replaces the earlier checkpoint
        }
        DistributedSGD second(model.name, dealt(kDeals[i + 1], model, optimizer));
        second.step();
        second.load_state(folder / "part");
        CHECK(second.weights() != whole.weights());
        check_same_end(go_on(second, 3, folder / "rest"), expected);
        CHECK(second.report().step == 6);
      }
}

TEST_CASE("a run in worker processes can load a checkpoint of a run in this process") {
  const TemporaryFolder folder;
  DistributedSGD whole(kStatistics.name, plain(kStatistics, "adam"));
  go_on(whole, 3, folder / "part");
  DistributedSGD second(kStatistics.name, dealt(kDeals[0], kStatistics, "adam"));
  second.load_state(folder / "part");
  const Outcome expected = go_on(whole, 3, folder / "whole");
  check_same_end(go_on(second, 3, folder / "rest"), expected);
}

TEST_CASE("a run can load its own earlier checkpoint, and one with another learning rate") {
  const TemporaryFolder folder;
  DistributedSGD sgd(kBatches.name, plain());
  go_on(sgd, 3, folder / "part");
  const Outcome first = go_on(sgd, 3, folder / "first");
  sgd.load_state(folder / "part");
  check_same_end(go_on(sgd, 3, folder / "second"), first);
  Options slower = plain();
  edit(slower)->learning_rate = 0.01;
  DistributedSGD other(kBatches.name, slower);
  other.load_state(folder / "part");
  CHECK(other.step().step == 4);
  CHECK(other.weights() != first.weights);
}

TEST_CASE("set_weights resets the optimizer's state, also when the run is resumed from a checkpoint") {
  const TemporaryFolder folder;
  DistributedSGD whole(kBatches.name, plain(kBatches, "adam"));
  for (int step = 0; step < 2; ++step) whole.step();
  whole.set_weights(std::vector<float>(whole.weights().size(), 0.5F));
  go_on(whole, 1, folder / "part");  // adam's corrections are those of one update
  DistributedSGD second(kBatches.name, dealt(kDeals[1], kBatches, "adam"));
  second.load_state(folder / "part");
  const Outcome expected = go_on(whole, 2, folder / "whole");
  check_same_end(go_on(second, 2, folder / "rest"), expected);
}

TEST_CASE("a model creator without a name and an optimizer without state support checkpoints") {
  const TemporaryFolder folder;
  Options options = quiet_options(Placement::in_process, 2);
  options.num_shards = 3;
  const auto create = [](int, int) { return std::make_unique<NoiseModel>(5000); };
  DistributedSGD sgd(create, options);
  sgd.step();
  sgd.save_state(folder / "part");
  DistributedSGD other(create, options);
  other.load_state(folder / "part");
  other.step();
  CHECK(other.weights() == plain_noise_run(5000, 3, 2, 0.01, 0));
}

TEST_CASE("a checkpoint of a different run is refused, and nothing changes") {
  const TemporaryFolder folder;
  const std::string path = saved(folder, plain());
  struct Row {
    std::string says;
    std::function<void(Options&)> change;
  };
  for (const auto& [says, change] :
       {Row{"7 shards", [](Options& o) { o.num_shards = 8; }}, Row{"seed 5", [](Options& o) { o.seed = 6; }},
        Row{"momentum", [](Options& o) { o.optimizer = Adam(); }},
        Row{"momentum", [](Options& o) { edit(o)->momentum = 0; }},
        Row{"61 training samples", [](Options& o) { o.config = "62 6"; }},
        Row{"weight", [](Options& o) { o.config = "61 5"; }}}) {
    CAPTURE(says);
    Options options = plain();
    change(options);
    Twins twins(options);
    const auto load = [&] { twins.tested.load_state(path); };
    CHECK(code_of(load) == ErrorCode::model_mismatch);
    CHECK(message_of(load).find(says) != std::string::npos);
    twins.check_alike();
  }
}

TEST_CASE("a checkpoint of another optimizer is refused, even if the state has the same names") {
  const TemporaryFolder folder;
  const std::string path = saved(folder, plain(kBatches, "adam"));
  DistributedSGD other(kBatches.name, plain(kBatches, "adamw"));
  const auto load = [&] { other.load_state(path); };
  CHECK(code_of(load) == ErrorCode::model_mismatch);
  CHECK(message_of(load).find("optimizer adam; this run has adamw") != std::string::npos);
}

TEST_CASE("a missing or damaged checkpoint is refused, and nothing changes") {
  const TemporaryFolder folder;
  const std::string path = saved(folder, plain(kBatches, "adam"));
  const auto damage = [&](const char* file, const std::function<void(std::string&)>& change) {
    const std::string copy = folder / "damaged";
    std::filesystem::remove_all(copy);
    std::filesystem::copy(path, copy);
    std::string bytes = read_file(copy + "/" + file);
    change(bytes);
    std::filesystem::remove(copy + "/" + file);
    if (!bytes.empty()) write_file(copy + "/" + file, bytes);
    return copy;
  };
  const auto flip_last = [](std::string& bytes) { bytes.back() = static_cast<char>(bytes.back() ^ 1); };
  const auto cut = [](std::string& bytes) { bytes.resize(bytes.size() / 2); };
  const auto remove = [](std::string& bytes) { bytes.clear(); };
  for (const char* file : {"weights.safetensors", "state.safetensors", "manifest.json"})
    for (const std::function<void(std::string&)>& change :
         {std::function<void(std::string&)>(flip_last), std::function<void(std::string&)>(cut),
          std::function<void(std::string&)>(remove)}) {
      CAPTURE(file);
      Twins twins(plain(kBatches, "adam"));
      const std::string damaged = damage(file, change);
      CHECK(code_of([&] { twins.tested.load_state(damaged); }) == ErrorCode::bad_file);
      twins.check_alike();
    }
  Twins twins(plain(kBatches, "adam"));
  CHECK(code_of([&] { twins.tested.load_state(folder / "nowhere"); }) == ErrorCode::bad_file);
  twins.check_alike();
}

TEST_CASE("a checkpoint that cannot be written changes neither the run nor existing files") {
  const TemporaryFolder folder;
  write_file(folder / "file", "mine");
  Twins twins(plain());
  for (const std::string& path : {folder / "file", folder / "file/below", folder / "nowhere/below"})
    CHECK(code_of([&] { twins.tested.save_state(path); }) == ErrorCode::bad_file);
  CHECK(read_file(folder / "file") == "mine");
  twins.check_alike();
}
