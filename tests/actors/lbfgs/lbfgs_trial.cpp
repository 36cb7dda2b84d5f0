#include "actors/lbfgs/lbfgs_trial.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "models/files.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using troupe::testing::read_file;

namespace troupe_test {

Options lbfgs_options(const std::string& config, int workers, int shards) {
  Options options = quiet_options(Placement::in_process, workers);
  options.algorithm = Lbfgs();
  options.num_shards = shards;
  options.config = config;
  return options;
}

StepReport descend(DistributedSGD& sgd, int most) {
  for (int step = 0; step < most; ++step) {
    const StepReport report = sgd.step();
    if (report.lbfgs.end != LbfgsEnd::none) return report;
  }
  return sgd.report();
}

Numbers learned_of(DistributedSGD& sgd, std::size_t learned) {
  const auto weights = sgd.weights();
  return {weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(learned)};
}

double largest_difference(const Numbers& a, const Numbers& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

double largest(const Numbers& a) { return largest_difference(a, Numbers(a.size())); }

void FormulaModel::initialize(std::span<float> weights, std::uint64_t /*seed*/) {
  std::ranges::copy(begin_, weights.begin());
}

std::int64_t FormulaModel::add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const {
  if (at.shard > 0) return 1;
  loss += formula_(x, gradient) * at.num_shards;
  for (double& each : gradient) each *= at.num_shards;
  return 1;
}

DistributedSGD of_formula(const std::vector<float>& begin, const Formula& formula, const Options& options) {
  return {[=](int, int) { return std::make_unique<FormulaModel>(begin, formula); }, options};
}

Options steady(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.algorithm = Lbfgs{.history = 3, .tolerance = 0};
  options.num_shards = 8;
  options.config = kSteady;
  edit(options)->weight_decay = 0.01;
  edit(options)->groups = {{"bias", 0.0}};
  return options;
}

void Course::note(const StepReport& report) {
  objectives.push_back(report.lbfgs.objective);
  lengths.push_back(report.lbfgs.step_length);
  evaluations.push_back(report.lbfgs.evaluations);
}

Course go_on(DistributedSGD& sgd, int steps) {
  Course course;
  for (int step = 0; step < steps; ++step) course.note(sgd.step());
  course.weights = sgd.weights();
  return course;
}

const Course& undisturbed() {
  static const Course course = [] {
    DistributedSGD sgd("smooth", steady(Placement::in_process, 1));
    return go_on(sgd, kSteadySteps);
  }();
  return course;
}

void check_undisturbed(const Course& course) {
  CHECK(course.objectives == undisturbed().objectives);
  CHECK(course.lengths == undisturbed().lengths);
  CHECK((course.weights == undisturbed().weights));
}

std::vector<float> weights_after(const Options& options, int steps) {
  DistributedSGD sgd("smooth", options);
  for (int step = 0; step < steps; ++step) sgd.step();
  return sgd.weights();
}

std::string saved_state(DistributedSGD& sgd, const std::string& path) {
  sgd.save_state(path);
  return read_file(path + "/weights.safetensors") + read_file(path + "/state.safetensors");
}

Options wide(Placement placement, int workers) {
  Options options = quiet_options(placement, workers);
  options.algorithm = Lbfgs{.history = 3};
  options.num_shards = 3;
  options.config = "quadratic " + std::to_string(kWideSize) + " 10";
  options.fault_tolerance.max_failures = 100;
  return options;
}

}  // namespace troupe_test
