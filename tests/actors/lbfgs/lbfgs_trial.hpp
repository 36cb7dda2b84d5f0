#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/lbfgs/smooth_models.hpp"
#include "actors/test_models.hpp"

// Code that all tests of L-BFGS use.
namespace troupe_test {

inline constexpr const char* kLogistic = "logistic 32 11 4";

/// Returns options with workers in this process.
troupe::Options lbfgs_options(const std::string& config, int workers = 2, int shards = 3);
/// Takes steps until the run ends, at most `most`. Returns the last report.
troupe::StepReport descend(troupe::DistributedSGD& sgd, int most);
/// Returns the first `learned` weights.
Numbers learned_of(troupe::DistributedSGD& sgd, std::size_t learned);
double largest_difference(const Numbers& a, const Numbers& b);
double largest(const Numbers& a);

/// A function of all weights and its gradient, for models that are defined by a formula. The first shard computes the
/// whole function.
using Formula = std::function<double(const Numbers& x, Numbers& gradient)>;
class FormulaModel : public SmoothModel {
 public:
  FormulaModel(std::vector<float> begin, Formula formula) : begin_(std::move(begin)), formula_(std::move(formula)) {}
  void initialize(std::span<float> weights, std::uint64_t seed) override;
  std::int64_t add(const troupe::ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override;

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override { return {.size = begin_.size()}; }

 private:
  std::vector<float> begin_;
  Formula formula_;
};
troupe::DistributedSGD of_formula(const std::vector<float>& begin, const Formula& formula,
                                  const troupe::Options& options);

/// About nine pages of weights, 8 shards of 3 batches. The last batch may be empty.
inline constexpr const char* kSteady = "logistic 8192 6 2";
inline constexpr int kSteadySteps = 6;

troupe::Options steady(troupe::Placement placement, int workers);

/// The results of a run that must be bitwise identical.
struct Course {
  std::vector<double> objectives;
  std::vector<double> lengths;
  std::vector<int> evaluations;
  std::vector<float> weights;
  bool operator==(const Course&) const = default;

  void note(const troupe::StepReport& report);
};

/// Takes `steps` steps.
Course go_on(troupe::DistributedSGD& sgd, int steps);
/// Returns the course of a steady run without disturbances.
const Course& undisturbed();
/// Compares with undisturbed(), except for the numbers of evaluations, which grow if work is repeated.
void check_undisturbed(const Course& course);
std::vector<float> weights_after(const troupe::Options& options, int steps);
/// Saves the state to `path`. Returns the files of the checkpoint as one text.
std::string saved_state(troupe::DistributedSGD& sgd, const std::string& path);

/// Vectors that are so long that owners are still at work when a worker is killed.
inline constexpr std::size_t kWideSize = 1'000'000;
inline constexpr int kWideSteps = 4;

troupe::Options wide(troupe::Placement placement, int workers);

}  // namespace troupe_test
