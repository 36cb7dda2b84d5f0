#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/driver/driver.hpp"
#include "troupe/sgd.hpp"

// What tests of checkpoints and pinned versions share, on one machine and among nodes.
namespace troupe_test {

/// Registers "batches" (config: samples and floats of each): a classifier whose shards take batches in an order that
/// depends on the step.
void register_batches_model();

/// A registered model and its configuration.
struct TrialModel {
  std::string name;
  std::string config;
};
extern const TrialModel kBatches;
/// Of many pages, with statistics, padding, and another order than the canonical one.
extern const TrialModel kStatistics;

inline constexpr int kTrialShards = 7;

/// For a run in which each step differs: with warm-up, a cosine schedule and all that an optimizer keeps.
void make_trial(troupe::Options& options, const TrialModel& model, const std::string& optimizer);

/// How the work of a run is dealt out.
struct Deal {
  troupe::Placement placement;
  int workers;
  int devices;
  troupe::Strategy strategy;
};
troupe::Options dealt(const Deal& deal, const TrialModel& model, const std::string& optimizer);

/// What a run came to.
struct Outcome {
  std::vector<double> losses;
  std::vector<float> weights;
  std::string weights_file;
  std::string state_file;
};

/// Makes steps and saves to `path`.
Outcome go_on(troupe::DistributedSGD& sgd, int steps, const std::string& path);
/// `part` ends as `whole` does.
void check_same_end(const Outcome& part, const Outcome& whole);

/// Pins a version, steps on and reads it again, while `disturb` has the next generation begun.
/// @param again a run of the same bits that nothing disturbs.
void check_pinning(troupe::Driver& driver, troupe::Driver& again, const std::function<void(troupe::Driver&)>& disturb);

}  // namespace troupe_test
