#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "actors/lbfgs/plain_lbfgs.hpp"
#include "actors/lbfgs/smooth_models.hpp"
#include "actors/test_models.hpp"
#include "runtime/processes/memory.hpp"
#include "support/errors.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe_test;

// What L-BFGS makes of functions whose gradients are known.
namespace {

constexpr const char* kLogistic = "logistic 32 11 4";

Options lbfgs(const std::string& config, int workers = 2, int shards = 3) {
  Options options = quiet_options(Placement::in_process, workers);
  options.algorithm = "lbfgs";
  options.num_shards = shards;
  options.config = config;
  return options;
}

/// Steps until it ends, at most so many. Returns the last report.
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

/// One shard of one sample with such a function of all weights, from such floats.
using Formula = std::function<double(const Numbers& x, Numbers& gradient)>;
class FormulaModel : public SmoothModel {
 public:
  FormulaModel(std::vector<float> begin, Formula formula) : begin_(std::move(begin)), formula_(std::move(formula)) {}
  void initialize(std::span<float> weights, std::uint64_t /*seed*/) override {
    std::ranges::copy(begin_, weights.begin());
  }
  std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
    if (at.shard == 0) loss += formula_(x, gradient) * at.num_shards;
    if (at.shard == 0)
      for (double& each : gradient) each *= at.num_shards;
    return 1;
  }

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = begin_.size()}; }

 private:
  std::vector<float> begin_;
  Formula formula_;
};

DistributedSGD of_formula(const std::vector<float>& begin, const Formula& formula, const Options& options) {
  return {[=](int, int) { return std::make_unique<FormulaModel>(begin, formula); }, options};
}

}  // namespace

TEST_CASE("L-BFGS finds the minima of Rosenbrock's valley, of ill-conditioned quadratics and of a logistic loss") {
  for (const int shards : {1, 3}) {
    CAPTURE(shards);
    for (const char* config : {"rosenbrock 2", "rosenbrock 100"}) {
      CAPTURE(config);
      DistributedSGD sgd("smooth", lbfgs(config, 1, shards));
      const StepReport report = descend(sgd, 60);
      CHECK(report.lbfgs.end == LbfgsEnd::converged);
      for (const float each : sgd.weights()) CHECK(each == doctest::Approx(1).epsilon(1e-5));
    }
    // With 10 pairs that takes doubles, too, thousands of steps.
    Options options = lbfgs("quadratic 50 1e6", 1, shards);
    options.lbfgs.history = 100;
    DistributedSGD quadratic("smooth", options);
    const StepReport report = descend(quadratic, 1'000);
    CHECK(report.lbfgs.end == LbfgsEnd::converged);
    CHECK(largest(learned_of(quadratic, 50)) < 1e-5);
  }
  Options options = lbfgs(kLogistic);
  options.optimizer.weight_decay = 0.01;
  DistributedSGD logistic("smooth", options);
  const StepReport report = descend(logistic, 100);
  CHECK(report.lbfgs.end == LbfgsEnd::converged);
  const auto model = make_smooth(kLogistic);
  model->start({.num_shards = 3});
  Numbers gradient;
  const double value = objective(*model, 3, learned_of(logistic, 32), gradient, 0.01);
  CHECK(report.lbfgs.objective == doctest::Approx(value).epsilon(1e-9));
  CHECK(largest(gradient) < 1.1e-5);
}

TEST_CASE("the first iterates of L-BFGS are those of whole vectors of doubles, but for the rounding of floats") {
  struct Trial {
    const char* config;
    double decay;
    int history;
    int steps;
    double bound;  ///< of the difference, where the largest weight is 1: at least three times what was measured
  };
  for (const auto& trial : {Trial{"rosenbrock 2", 0, 10, 12, 1e-4}, Trial{"rosenbrock 100", 0, 10, 10, 5e-3},
                            Trial{"quadratic 50 1e6", 0, 10, 10, 2e-6}, Trial{"quadratic 50 100", 0.1, 3, 12, 5e-6},
                            Trial{kLogistic, 0, 10, 10, 1e-5}, Trial{kLogistic, 0.05, 2, 10, 5e-6}}) {
    CAPTURE(trial.config);
    CAPTURE(trial.decay);
    Options options = lbfgs(trial.config);
    options.lbfgs.history = trial.history;
    options.lbfgs.tolerance = 0;
    options.optimizer.weight_decay = trial.decay;
    const auto model = make_smooth(trial.config);
    model->start({.num_shards = 3});
    PlainLbfgs plain([&](const Numbers& x, Numbers& g) { return objective(*model, 3, x, g, trial.decay); },
                     beginning(*model), options.lbfgs);
    DistributedSGD sgd("smooth", options);
    for (int step = 0; step < trial.steps; ++step) {
      CAPTURE(step);
      const StepReport report = sgd.step();
      REQUIRE(plain.step());
      const Numbers x = learned_of(sgd, plain.x().size());
      const double difference = largest_difference(x, plain.x()) / largest(plain.x());
      CHECK(difference < trial.bound);
      CHECK(report.lbfgs.evaluations == plain.evaluations() + (step == 0 ? 1 : 0));
      CHECK(report.lbfgs.objective == doctest::Approx(plain.value()).epsilon(1e-3));
      CHECK(report.lbfgs.step_length == doctest::Approx(plain.step_length()).epsilon(0.05));
    }
  }
}

TEST_CASE("the report of L-BFGS tells what its step did") {
  Options options = lbfgs(kLogistic, 2, 3);
  options.lbfgs.portions = 5;  // made 6
  options.lbfgs.history = 4;
  options.optimizer.weight_decay = 0.01;
  DistributedSGD sgd("smooth", options);
  const auto model = make_smooth(kLogistic);
  model->start({.num_shards = 3});
  constexpr std::int64_t kSamples = 11 + 10 + 9;
  for (int step = 1; step <= 8; ++step) {
    const StepReport report = sgd.step();
    const LbfgsReport& l = report.lbfgs;
    Numbers gradient;
    const Numbers x = learned_of(sgd, 32);
    const double loss = objective(*model, 3, x, gradient, 0);
    const double value = objective(*model, 3, x, gradient, 0.01);
    double squares = 0;
    for (const double each : gradient) squares += each * each;
    CHECK(report.step == step);
    CHECK(report.algorithm == "lbfgs");
    CHECK(l.end == LbfgsEnd::none);
    CHECK(l.pairs == std::min(step - 1, 4));
    CHECK(l.evaluations >= (step == 1 ? 2 : 1));
    CHECK(l.portions == 6 * l.evaluations);
    CHECK(report.samples == kSamples * l.evaluations);
    CHECK(l.backups == 0);
    CHECK(l.backups_won == 0);
    CHECK(l.step_length > 0);
    CHECK(report.loss == doctest::Approx(loss).epsilon(1e-9));
    CHECK(l.objective == doctest::Approx(value).epsilon(1e-9));
    CHECK(l.largest == doctest::Approx(largest(gradient)).epsilon(1e-4));
    CHECK(report.gradient_norm == doctest::Approx(std::sqrt(squares)).epsilon(1e-4));
    CHECK(report.seconds.compute.size() == 2);
    CHECK(report.seconds.step > 0);
    CHECK(report.seconds.compute_all > 0);
    const std::size_t vector_bytes = (96 * sizeof(float) + kPageBytes - 1) / kPageBytes * kPageBytes;
    CHECK(report.state_bytes == static_cast<std::int64_t>((2 * 4 + 4) * vector_bytes));
    CHECK(sgd.report().lbfgs.objective == l.objective);
  }
  const auto weights = sgd.weights();  // statistics are as they were
  for (std::size_t i = 32; i < 96; ++i) CHECK(weights[i] == 0.5F);
  CHECK(sgd.steps_per_epoch() == 1);
}

TEST_CASE("where L-BFGS has converged further steps change nothing, and say so") {
  DistributedSGD sgd("smooth", lbfgs("rosenbrock 2"));
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
  Options options = lbfgs("quadratic 2 1");
  options.lbfgs.tolerance = 1e3;
  DistributedSGD at_once("smooth", options);
  const auto begun = at_once.weights();
  const StepReport report = at_once.step();
  CHECK(report.step == 0);
  CHECK(report.lbfgs.end == LbfgsEnd::converged);
  CHECK(report.lbfgs.evaluations == 1);
  CHECK(at_once.weights() == begun);
}

TEST_CASE("a gradient of the wrong sign is no descent, and changes nothing") {
  Options options = lbfgs("");
  options.lbfgs.max_evaluations = 1000;
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

TEST_CASE("a line search that has used up its evaluations ends L-BFGS, and further steps say so again") {
  Options options = lbfgs("");
  // So steep beside its minimum that the first step along the gradient, of length 1, leads far up.
  const auto nasty = [](const Numbers& x, Numbers& g) {
    g = {4e6 * std::pow(x[0] - 1e-2, 3)};
    return 1e6 * std::pow(x[0] - 1e-2, 4);
  };
  for (const int most : {1, 2}) {
    CAPTURE(most);
    options.lbfgs.max_evaluations = most;
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

TEST_CASE("what is not finite beyond a barrier is a trial that was too long") {
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
    // x / t - log(x), whose minima are t
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
    DistributedSGD sgd = of_formula({0.5, 0.5, 0.5}, barrier, lbfgs(""));
    CHECK(descend(sgd, 60).lbfgs.end == LbfgsEnd::converged);
    CHECK(*trials > 0);
    const auto weights = sgd.weights();
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(weights[i] == doctest::Approx(0.02 * static_cast<double>(i + 1)).epsilon(1e-4));
  }
}

TEST_CASE("weights that would not be finite are a trial that was too long, too") {
  Options options = lbfgs("");
  options.lbfgs.max_evaluations = 100;
  DistributedSGD sgd = of_formula(
      {0}, [](const Numbers& x, Numbers& g) { return g = {-1}, -x[0]; }, options);
  const StepReport report = sgd.step();
  CHECK(report.step == 1);
  CHECK(report.lbfgs.step_length > 1e30);
  CHECK(all_finite(sgd.weights()));
}

TEST_CASE("a loss that is not finite to begin with is an error, and weights can be set then") {
  for (const double loss : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto formula = [loss](const Numbers& x, Numbers& g) {
      g = {x[0]};
      return x[0] > 5 ? loss : x[0] * x[0] / 2;
    };
    DistributedSGD sgd = of_formula({10}, formula, lbfgs(""));
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

TEST_CASE("what L-BFGS makes small includes the penalty of each tensor's group") {
  Options options = lbfgs("quadratic 100 10");
  options.optimizer.weight_decay = 3;
  options.optimizer.groups = {{"bias", 0.5}};
  DistributedSGD sgd("smooth", options);
  const auto model = make_smooth(options.config);
  model->start({.num_shards = 3});
  const auto check = [&](const StepReport& report) {
    const Numbers x = learned_of(sgd, 100);
    Numbers gradient;
    double value = objective(*model, 3, x, gradient);
    CHECK(report.loss == doctest::Approx(value).epsilon(1e-12));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double decay = i < 37 ? 0.5 : 3;
      value += decay / 2 * x[i] * x[i];
      gradient[i] += decay * x[i];
    }
    CHECK(report.lbfgs.objective == doctest::Approx(value).epsilon(1e-9));
    CHECK(report.lbfgs.largest == doctest::Approx(largest(gradient)).epsilon(1e-5));
  };
  for (int step = 0; step < 4; ++step) check(sgd.step());
  CHECK(descend(sgd, 40).lbfgs.end == LbfgsEnd::converged);
}

TEST_CASE("shards and portions without samples add nothing") {
  // 11 samples of shard 0, none of shard 1, and 9 of shard 2 in batches of 2: its last one is empty.
  const std::string config = "logistic 32 11 2 1";
  Options options = lbfgs(config);
  options.optimizer.weight_decay = 0.01;
  options.lbfgs.portions = 18;
  DistributedSGD sgd("smooth", options);
  const auto model = make_smooth(config);
  model->start({.num_shards = 3});
  const StepReport first = sgd.step();
  CHECK(first.samples == 20 * first.lbfgs.evaluations);
  CHECK(first.lbfgs.portions == 18 * first.lbfgs.evaluations);
  const StepReport report = descend(sgd, 60);
  CHECK(report.lbfgs.end == LbfgsEnd::converged);
  Numbers gradient;
  CHECK(report.lbfgs.objective == doctest::Approx(objective(*model, 3, learned_of(sgd, 32), gradient, 0.01)));
  CHECK(largest(gradient) < 1.1e-5);
  DistributedSGD none("smooth", lbfgs("logistic 32 0 2", 1, 1));
  CHECK(code_of([&] { none.step(); }) == ErrorCode::bad_data);
}

TEST_CASE("portions are batches of each shard in order, and of more portions than batches there are as many as those") {
  struct Noted : FormulaModel {
    Noted(std::shared_ptr<std::atomic<int>> calls) : FormulaModel({1}, {}), calls_(std::move(calls)) {}
    std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
      CHECK(at.step < 3);
      ++*calls_;
      const double target = static_cast<double>(at.step);
      loss += (x[0] - target) * (x[0] - target);
      gradient[0] += 2 * (x[0] - target);
      return 1;
    }
    ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = 1, .steps_per_epoch = 3}; }
    std::shared_ptr<std::atomic<int>> calls_;
  };
  for (const int portions : {0, 1, 2, 4, 6, 100}) {
    CAPTURE(portions);
    Options options = lbfgs("", 2, 2);
    options.lbfgs.portions = portions;
    const auto calls = std::make_shared<std::atomic<int>>(0);
    DistributedSGD sgd([=](int, int) { return std::make_unique<Noted>(calls); }, options);
    const StepReport report = sgd.step();
    CHECK(*calls == 6 * report.lbfgs.evaluations);
    const int each = portions == 1 || portions == 2 ? 2 : portions == 4 ? 4 : 6;
    CHECK(report.lbfgs.portions == each * report.lbfgs.evaluations);
    CHECK(descend(sgd, 10).lbfgs.end == LbfgsEnd::converged);
    CHECK(sgd.weights()[0] == doctest::Approx(1));
  }
}

TEST_CASE("without full batches each step of L-BFGS takes one batch of each shard") {
  struct Noted : FormulaModel {
    Noted(std::shared_ptr<std::atomic<std::int64_t>> step) : FormulaModel({1}, {}), step_(std::move(step)) {}
    std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
      CHECK(at.step == *step_);
      const double target = static_cast<double>(at.step % 3);
      loss += (x[0] - target) * (x[0] - target);
      gradient[0] += 2 * (x[0] - target);
      return at.shard + 1;
    }
    ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = 1, .steps_per_epoch = 3}; }
    std::shared_ptr<std::atomic<std::int64_t>> step_;
  };
  Options options = lbfgs("", 2, 3);
  options.lbfgs.full_batch = false;
  options.lbfgs.portions = 9;
  options.lbfgs.tolerance = 0;
  const auto at = std::make_shared<std::atomic<std::int64_t>>(0);
  DistributedSGD sgd([=](int, int) { return std::make_unique<Noted>(at); }, options);
  for (int step = 0; step < 6; ++step) {
    *at = step;
    const StepReport report = sgd.step();
    CHECK(report.samples == 6 * report.lbfgs.evaluations);
    CHECK(report.lbfgs.portions == 3 * report.lbfgs.evaluations);
    REQUIRE(report.step == step + 1);
  }
  CHECK(sgd.steps_per_epoch() == 3);
}

TEST_CASE("models whose loss depends on chance or on the batch are refused by L-BFGS, but for frozen ones") {
  Options options = lbfgs("", 2, 3);
  const auto make = [&] { DistributedSGD("dropping", options).step(); };
  CHECK(code_of(make) == ErrorCode::unsupported);
  CHECK(message_of(make).find("dropout") != std::string::npos);
  CHECK(message_of(make).find("freeze") != std::string::npos);
  Options synchronous = options;
  synchronous.algorithm = "synchronous";
  DistributedSGD sgd("dropping", synchronous);
  sgd.step();
  CHECK(code_of([&] { sgd.use(LbfgsOptions{}); }) == ErrorCode::unsupported);
  CHECK(sgd.step().algorithm == "synchronous");
  sgd.use(LbfgsOptions{.freeze = true});
  const double before = sgd.step().lbfgs.objective;
  CHECK(sgd.step().lbfgs.objective < before);
  sgd.use("synchronous");
  CHECK(sgd.step().algorithm == "synchronous");
  options.lbfgs.freeze = true;
  DistributedSGD frozen("dropping", options);
  frozen.step();
  CHECK(frozen.report().lbfgs.end == LbfgsEnd::none);
}

TEST_CASE("options of L-BFGS that cannot be are refused") {
  const auto code = [](auto change) {
    Options options = lbfgs("rosenbrock 2");
    change(options);
    return code_of([&] { DistributedSGD("smooth", options); });
  };
  CHECK_FALSE(code([](Options&) {}));
  CHECK(code([](Options& o) { o.lbfgs.history = 0; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.history = 101; }) == ErrorCode::invalid_argument);
  CHECK_FALSE(code([](Options& o) { o.lbfgs.history = 100; }));
  CHECK(code([](Options& o) { o.lbfgs.tolerance = -1e-9; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.tolerance = std::nan(""); }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.tolerance = INFINITY; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.max_evaluations = 0; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.max_evaluations = 1001; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.portions = -1; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.backup_portions = -1; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.lbfgs.backup_portions = 1001; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.optimizer.clip_norm = 1; }) == ErrorCode::unsupported);
  CHECK(code([](Options& o) { o.strategy = Strategy::driver; }) == ErrorCode::unsupported);
  CHECK(code([](Options& o) { o.backup_workers = 1; }) == ErrorCode::unsupported);
  DistributedSGD sgd("smooth", lbfgs("rosenbrock 2"));
  CHECK(code_of([&] { sgd.use(LbfgsOptions{.history = 0}); }) == ErrorCode::invalid_argument);
  CHECK(sgd.step().step == 1);
}
