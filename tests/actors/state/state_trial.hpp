#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/driver/driver.hpp"
#include "troupe/sgd.hpp"

// Code that tests of checkpoints and of pinned versions share, on one machine and among nodes.
namespace troupe_test {

/// Registers the model "batches" (config: number of samples and number of floats per sample). It is a classifier, and
/// the order of its batches depends on the step.
void register_batches_model();

/// A registered model and its configuration.
struct TrialModel {
  std::string name;
  std::string config;
};
extern const TrialModel kBatches;
/// A model with many pages, statistics, padding, and another order than the canonical one.
extern const TrialModel kStatistics;

inline constexpr int kTrialShards = 7;

/// Sets options for a run in which each step differs: warm-up, a cosine schedule, and an optimizer with state.
void make_trial(troupe::Options& options, const TrialModel& model, const std::string& optimizer);

/// How the work of a run is distributed.
struct Deal {
  troupe::Placement placement;
  int workers;
  int devices;
  troupe::Strategy strategy;
};
troupe::Options dealt(const Deal& deal, const TrialModel& model, const std::string& optimizer);

/// The result of a run.
struct Outcome {
  std::vector<double> losses;
  std::vector<float> weights;
  std::string weights_file;
  std::string state_file;
};

/// Takes `steps` steps and saves the state to `path`.
Outcome go_on(troupe::DistributedSGD& sgd, int steps, const std::string& path);
/// Checks that `part` ends with the same result as `whole`.
void check_same_end(const Outcome& part, const Outcome& whole);

/// Pins a version, takes steps and reads the version again. `disturb` makes the next generation begin.
/// @param again an undisturbed run with the same options
void check_pinning(troupe::Driver& driver, troupe::Driver& again, const std::function<void(troupe::Driver&)>& disturb);

}  // namespace troupe_test
