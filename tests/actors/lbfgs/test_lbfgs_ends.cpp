#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "actors/lbfgs/lbfgs_trial.hpp"
#include "support/errors.hpp"

using namespace troupe;
using namespace troupe_test;
// How runs of L-BFGS end, and which conditions do not end them.
namespace {

/// Waves added to Rosenbrock's valley. Line searches with few evaluations soon fail on them.
struct Waves {
  double often = 0;
  double high = 0;
};

class WavesModel : public SmoothModel {
 public:
  /// @param left number of evaluations until one evaluation fails; negative: no evaluation fails
  WavesModel(const Waves& waves, std::shared_ptr<int> left)
      : valley_(make_smooth("rosenbrock 6")), waves_(waves), left_(std::move(left)) {}

  void initialize(std::span<float> weights, std::uint64_t seed) override {
    valley_->initialize(weights, seed);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += 0.1F * static_cast<float>(i);
  }
  std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
    if (--*left_ == 0) throw std::runtime_error("out of luck");
    const std::int64_t samples = valley_->add(at, x, loss, gradient);
    for (std::size_t i = 0; i < x.size(); ++i) {
      loss += waves_.high * (1 - std::cos(waves_.often * x[i]));
      gradient[i] += waves_.high * waves_.often * std::sin(waves_.often * x[i]);
    }
    return samples;
  }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override { return valley_->start(context); }

 private:
  std::unique_ptr<SmoothModel> valley_;
  Waves waves_;
  std::shared_ptr<int> left_;
};

DistributedSGD on_waves(const Waves& waves, int max_evaluations, const std::shared_ptr<int>& left) {
  Options options = quiet_options(Placement::in_process, 1);
  options.algorithm = Lbfgs{.max_evaluations = max_evaluations};
  return {[=](int, int) { return std::make_unique<WavesModel>(waves, left); }, options};
}

}  // namespace

TEST_CASE("after convergence, further steps change nothing and report convergence again") {
  DistributedSGD sgd("smooth", lbfgs_options("rosenbrock 2"));
  const StepReport last = descend(sgd, 60);
  REQUIRE(last.lbfgs.end == LbfgsEnd::converged);
  CHECK(last.lbfgs.step_length > 0);
  CHECK(last.lbfgs.largest <= 1e-5);
  const auto weights = sgd.weights();
  for (int again = 0; again < 3; ++again) {
    const StepReport report = sgd.step();
    CHECK(report.step == last.step);
    CHECK(report.lbfgs.end == LbfgsEnd::converged);
    CHECK(report.lbfgs.step_length == 0);
    CHECK(report.lbfgs.objective == last.lbfgs.objective);
    CHECK(report.lbfgs.largest == last.lbfgs.largest);
    CHECK(report.loss == last.loss);
  }
  CHECK(sgd.weights() == weights);
  CHECK(sgd.steps_done() == last.step);
  Options options = lbfgs_options("quadratic 2 1");
  std::get<Lbfgs>(options.algorithm).tolerance = 1e3;
  DistributedSGD at_once("smooth", options);
  const auto begun = at_once.weights();
  const StepReport report = at_once.step();
  CHECK(report.step == 0);
  CHECK(report.lbfgs.end == LbfgsEnd::converged);
  CHECK(report.lbfgs.evaluations == 1);
  CHECK(at_once.weights() == begun);
}

TEST_CASE("a gradient of the wrong sign ends L-BFGS and changes nothing") {
  Options options = lbfgs_options("");
  std::get<Lbfgs>(options.algorithm).max_evaluations = 1000;
  DistributedSGD sgd = of_formula(
      {1, 2},
      [](const Numbers& x, Numbers& g) {
        return g = {-x[0], -x[1]}, (x[0] * x[0] + x[1] * x[1]) / 2;
      },
      options);
  for (int step = 0; step < 3; ++step) {
    const StepReport report = sgd.step();
    CHECK(report.step == 0);
    CHECK(report.lbfgs.end == LbfgsEnd::no_descent);
    CHECK(report.lbfgs.step_length == 0);
    CHECK(report.lbfgs.objective == 2.5);
    CHECK(report.lbfgs.pairs == 0);
  }
  CHECK(sgd.weights() == std::vector<float>{1, 2});
}

TEST_CASE("a line search that exceeds its evaluations ends L-BFGS, and further steps report the same end") {
  Options options = lbfgs_options("");
  // The function is so steep next to its minimum that the first step, of length 1 along the gradient, leads far up.
  const auto nasty = [](const Numbers& x, Numbers& g) {
    g = {4e6 * std::pow(x[0] - 1e-2, 3)};
    return 1e6 * std::pow(x[0] - 1e-2, 4);
  };
  for (const int most : {1, 2}) {
    CAPTURE(most);
    std::get<Lbfgs>(options.algorithm).max_evaluations = most;
    DistributedSGD sgd = of_formula({0}, nasty, options);
    const StepReport first = sgd.step();
    CHECK(first.lbfgs.end == LbfgsEnd::budget);
    CHECK(first.lbfgs.evaluations == 1 + most);
    for (int step = 0; step < 2; ++step) {
      const StepReport report = sgd.step();
      CHECK(report.step == 0);
      CHECK(report.lbfgs.end == LbfgsEnd::budget);
      CHECK(report.lbfgs.evaluations == most);
      CHECK(report.lbfgs.objective == first.lbfgs.objective);
      CHECK(report.lbfgs.largest == first.lbfgs.largest);
    }
    CHECK(sgd.weights() == std::vector<float>{0});
  }
}

TEST_CASE("a trial point where the loss is not finite is treated as too long") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Beyond {
    double value;
    double gradient;
  };
  for (const Beyond beyond : {Beyond{kNan, kNan}, Beyond{kInfinity, 1}, Beyond{-kInfinity, 1}, Beyond{0, kNan},
                              Beyond{0, kInfinity}, Beyond{kNan, 0}}) {
    CAPTURE(beyond.value);
    CAPTURE(beyond.gradient);
    const auto trials = std::make_shared<std::atomic<int>>(0);
    // x / t - log(x), with its minimum at t
    const auto barrier = [=](const Numbers& x, Numbers& g) {
      double value = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double t = 0.02 * static_cast<double>(i + 1);
        value += x[i] / t - std::log(x[i]);
        g[i] = 1 / t - 1 / x[i];
      }
      if (std::ranges::all_of(x, [](double each) { return each > 0; })) return value;
      ++*trials;
      g[0] = beyond.gradient;
      return beyond.value;
    };
    DistributedSGD sgd = of_formula({0.5, 0.5, 0.5}, barrier, lbfgs_options(""));
    CHECK(descend(sgd, 60).lbfgs.end == LbfgsEnd::converged);
    CHECK(*trials > 0);
    const auto weights = sgd.weights();
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(weights[i] == doctest::Approx(0.02 * static_cast<double>(i + 1)).epsilon(1e-4));
  }
}

TEST_CASE("a trial point with weights that are not finite is treated as too long") {
  Options options = lbfgs_options("");
  std::get<Lbfgs>(options.algorithm).max_evaluations = 100;
  DistributedSGD sgd = of_formula(
      {0}, [](const Numbers& x, Numbers& g) { return g = {-1}, -x[0]; }, options);
  const StepReport report = sgd.step();
  CHECK(report.step == 1);
  CHECK(report.lbfgs.step_length > 1e30);
  CHECK(all_finite(sgd.weights()));
}

TEST_CASE("an initial loss that is not finite is an error, and weights can be set afterwards") {
  for (const double loss : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto formula = [loss](const Numbers& x, Numbers& g) {
      g = {x[0]};
      return x[0] > 5 ? loss : x[0] * x[0] / 2;
    };
    DistributedSGD sgd = of_formula({10}, formula, lbfgs_options(""));
    for (int again = 0; again < 2; ++again) {
      const auto step = [&] { sgd.step(); };
      CHECK(code_of(step) == ErrorCode::non_finite_loss);
      CHECK(where_of(step).phase == "compute");
    }
    CHECK(sgd.weights() == std::vector<float>{10});
    sgd.set_weights(std::vector<float>{4});
    CHECK(descend(sgd, 10).lbfgs.end == LbfgsEnd::converged);
  }
}

TEST_CASE("further steps after a failed search of L-BFGS report the same end and change nothing, for any history") {
  int ended = 0;
  int along_the_gradient = 0;
  for (const int most : {2, 3})
    for (const auto& waves : {Waves{3, 100}, {9, 10}, {9, 30}, {20, 10}, {20, 100}, {40, 100}, {80, 10}}) {
      CAPTURE(most);
      CAPTURE(waves.often);
      CAPTURE(waves.high);
      DistributedSGD sgd = on_waves(waves, most, std::make_shared<int>(-1));
      std::optional<StepReport> end;
      std::vector<float> weights;
      for (int step = 0; step < 20; ++step) {
        const StepReport report = sgd.step();
        if (step > 0 && report.lbfgs.pairs == 0 && report.lbfgs.step_length > 0) ++along_the_gradient;
        if (end) {
          REQUIRE(report.lbfgs.end == end->lbfgs.end);
          CHECK(report.lbfgs.step_length == 0);
          CHECK(report.lbfgs.objective == end->lbfgs.objective);
          CHECK(report.lbfgs.largest == end->lbfgs.largest);
          CHECK(report.step == end->step);
        } else if (report.lbfgs.end != LbfgsEnd::none && report.lbfgs.step_length == 0) {
          end = report;
          weights = sgd.weights();
          ++ended;
        }
      }
      if (end) CHECK(sgd.weights() == weights);
    }
  CHECK(ended >= 5);
  CHECK(along_the_gradient >= 3);
}

TEST_CASE("a warm-up of L-BFGS changes nothing, also if searches fail") {
  const auto run = [](bool warms_up) {
    DistributedSGD sgd = on_waves({20, 100}, 3, std::make_shared<int>(-1));
    Course course;
    for (int step = 0; step < 20; ++step) {
      if (warms_up) sgd.warmup();
      course.note(sgd.step());
    }
    course.weights = sgd.weights();
    course.evaluations.clear();
    return course;
  };
  CHECK((run(true) == run(false)));
}

TEST_CASE("a failed evaluation has no effect on the result, in any search") {
  for (const auto& [waves, most] : {std::pair{Waves{9, 10}, 2}, {Waves{80, 10}, 2}, {Waves{20, 100}, 3}}) {
    const Waves on = waves;
    const int evaluations_at_most = most;
    CAPTURE(on.often);
    int failed = 0;
    const auto left = std::make_shared<int>(-1);
    const auto run = [&](int fails_at) {
      *left = fails_at;
      DistributedSGD sgd = on_waves(on, evaluations_at_most, left);
      Course course;
      while (course.lengths.size() < 18) try {
          course.note(sgd.step());
        } catch (const Error& error) {
          CHECK(error.code() == ErrorCode::model_failed);
          ++failed;
        }
      course.weights = sgd.weights();
      course.evaluations.clear();  // the numbers of evaluations differ because some are repeated
      return course;
    };
    const Course expected = run(-1);
    const int evaluations = -1 - *left;
    for (int fails_at = 1; fails_at <= evaluations; ++fails_at) {
      CAPTURE(fails_at);
      CHECK((run(fails_at) == expected));
    }
    CHECK(failed == evaluations);
  }
}
