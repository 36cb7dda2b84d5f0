#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/errors.hpp"
#include "support/temporary_folder.hpp"
#include "troupe/trainer.hpp"
#include "troupe/tune.hpp"

// Functions of a Trainer on CUDA devices: the double or a GPU, depending on the linked libraries.
using namespace troupe;

namespace {

/// Returns the weights after "train here" on one worker.
std::vector<float> trained(Placement placement, int gpus) {
  Trainer trainer{{.gpus_per_worker = gpus, .placement = placement}};
  const TaskResult result = trainer.run("train here")[0];
  CHECK(result.json.at("device") == (gpus > 0 ? 0 : -1));
  CHECK(result.json.at("fingerprint").get<std::string>().starts_with("cuda") == (gpus > 0));
  return result.json.at("weights").get<std::vector<float>>();
}

}  // namespace

TEST_CASE("CUDA: a Trainer's function computes on the device of its worker, near the CPU's results") {
  const std::vector<float> expected = trained(Placement::in_process, 0);
  const std::vector<float> found = trained(Placement::in_process, 1);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-4));
  CHECK(trained(Placement::in_process, 1) == found);
  CHECK(trained(Placement::processes, 1) == found);
}

TEST_CASE("CUDA: a Trainer with more devices than the machine has is refused") {
  const auto message = message_of([] { Trainer trainer{{.num_workers = 2, .gpus_per_worker = 500}}; });
  CHECK(message.find("2 workers with gpus_per_worker 500 need 1000 CUDA devices, but this machine has") !=
        std::string::npos);
}

TEST_CASE("CUDA: each trial of a search sees only its devices") {
  const troupe_test::TemporaryFolder folder;
  tune::Options options;
  options.space = {{"x", tune::grid({1, 2, 3})}};
  options.folder = folder / "search";
  options.resources_per_trial.gpus = 1;
  const tune::Analysis analysis = tune::run({.function = "say devices"}, options);
  REQUIRE(analysis.trials().size() == 3);
  for (const tune::Trial& trial : analysis.trials()) {
    CHECK(trial.state == tune::TrialState::done);
    CHECK(trial.result.at("visible").get<std::string>().find(',') == std::string::npos);
    CHECK(trial.result.at("visible") != "");
  }
  options.folder = folder / "too many";
  options.resources_per_trial.gpus = 500;
  CHECK(message_of([&] { tune::run({.function = "say devices"}, options); }).find("a trial takes 500 CUDA devices") !=
        std::string::npos);
}
