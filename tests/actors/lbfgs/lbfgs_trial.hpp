#pragma once

#include <functional>
#include <string>
#include <vector>

#include "actors/lbfgs/smooth_models.hpp"
#include "actors/test_models.hpp"

// What tests of L-BFGS share.
namespace troupe_test {

inline constexpr const char* kLogistic = "logistic 32 11 4";

/// Of workers in this process.
troupe::Options lbfgs_options(const std::string& config, int workers = 2, int shards = 3);
/// Steps until it ends, at most so many. Returns the last report.
troupe::StepReport descend(troupe::DistributedSGD& sgd, int most);
/// The first weights.
Numbers learned_of(troupe::DistributedSGD& sgd, std::size_t learned);
double largest_difference(const Numbers& a, const Numbers& b);
double largest(const Numbers& a);

/// Such a function of all weights, from such floats; the first shard has all of it.
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

/// Some nine pages, 8 shards of 3 batches, of which the last one may be empty.
inline constexpr const char* kSteady = "logistic 8192 6 2";
inline constexpr int kSteadySteps = 6;

troupe::Options steady(troupe::Placement placement, int workers);

/// All that a run's bits are seen by.
struct Course {
  std::vector<double> objectives;
  std::vector<double> lengths;
  std::vector<int> evaluations;
  std::vector<float> weights;
  bool operator==(const Course&) const = default;

  void note(const troupe::StepReport& report);
};

/// Makes steps.
Course go_on(troupe::DistributedSGD& sgd, int steps);
/// Of a steady run in which nothing happens.
const Course& undisturbed();
/// But for numbers of evaluations, which are more where something is done again.
void check_undisturbed(const Course& course);
std::vector<float> weights_after(const troupe::Options& options, int steps);
/// The files of a checkpoint that it makes.
std::string saved_state(troupe::DistributedSGD& sgd, const std::string& path);

/// Of vectors so long that owners are busy with them when a worker is killed.
inline constexpr std::size_t kWideSize = 1'000'000;
inline constexpr int kWideSteps = 4;

troupe::Options wide(troupe::Placement placement, int workers);

}  // namespace troupe_test
