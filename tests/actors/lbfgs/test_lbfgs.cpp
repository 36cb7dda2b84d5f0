#include <doctest/doctest.h>

#include <cmath>

#include "actors/lbfgs/lbfgs_trial.hpp"
#include "actors/lbfgs/plain_lbfgs.hpp"
#include "runtime/processes/memory.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;

// Runs of L-BFGS on functions with known gradients.

TEST_CASE("L-BFGS finds the minima of Rosenbrock's valley, of ill-conditioned quadratics and of a logistic loss") {
  for (const int shards : {1, 3}) {
    CAPTURE(shards);
    for (const char* config : {"rosenbrock 2", "rosenbrock 100"}) {
      CAPTURE(config);
      DistributedSGD sgd("smooth", lbfgs_options(config, 1, shards));
      const StepReport report = descend(sgd, 60);
      CHECK(report.lbfgs.end == LbfgsEnd::converged);
      for (const float each : sgd.weights()) CHECK(each == doctest::Approx(1).epsilon(1e-5));
    }
    // With 10 pairs, doubles need thousands of steps as well.
    Options options = lbfgs_options("quadratic 50 1e6", 1, shards);
    std::get<Lbfgs>(options.algorithm).history = 100;
    DistributedSGD quadratic("smooth", options);
    const StepReport report = descend(quadratic, 1'000);
    CHECK(report.lbfgs.end == LbfgsEnd::converged);
    CHECK(largest(learned_of(quadratic, 50)) < 1e-5);
  }
  Options options = lbfgs_options(kLogistic);
  edit(options)->weight_decay = 0.01;
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

TEST_CASE("the first iterates of L-BFGS equal those of L-BFGS in doubles, except for the rounding of floats") {
  struct Trial {
    const char* config;
    double decay;
    int history;
    int steps;
    double bound;  ///< bound of the difference, relative to a largest weight of 1: at least three times the measured
                   ///< value
  };
  for (const auto& trial : {Trial{"rosenbrock 2", 0, 10, 12, 1e-4}, Trial{"rosenbrock 100", 0, 10, 10, 5e-3},
                            Trial{"quadratic 50 1e6", 0, 10, 10, 2e-6}, Trial{"quadratic 50 100", 0.1, 3, 12, 5e-6},
                            Trial{kLogistic, 0, 10, 10, 1e-5}, Trial{kLogistic, 0.05, 2, 10, 5e-6}}) {
    CAPTURE(trial.config);
    CAPTURE(trial.decay);
    Options options = lbfgs_options(trial.config);
    std::get<Lbfgs>(options.algorithm).history = trial.history;
    std::get<Lbfgs>(options.algorithm).tolerance = 0;
    edit(options)->weight_decay = trial.decay;
    const auto model = make_smooth(trial.config);
    model->start({.num_shards = 3});
    PlainLbfgs plain([&](const Numbers& x, Numbers& g) { return objective(*model, 3, x, g, trial.decay); },
                     beginning(*model), std::get<Lbfgs>(options.algorithm));
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

TEST_CASE("the report of L-BFGS describes its step") {
  Options options = lbfgs_options(kLogistic, 2, 3);
  std::get<Lbfgs>(options.algorithm).portions = 5;  // rounded up to 6
  std::get<Lbfgs>(options.algorithm).history = 4;
  edit(options)->weight_decay = 0.01;
  DistributedSGD sgd("smooth", options);
  const auto model = make_smooth(kLogistic);
  model->start({.num_shards = 3});
  constexpr std::int64_t kSamplesOfThree = 11 + 10 + 9;
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
    CHECK(report.samples == kSamplesOfThree * l.evaluations);
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
  const auto weights = sgd.weights();  // statistics do not change
  for (std::size_t i = 32; i < 96; ++i) CHECK(weights[i] == 0.5F);
  CHECK(sgd.steps_per_epoch() == 1);
}

TEST_CASE("the objective of L-BFGS includes the penalty of each tensor's group") {
  Options options = lbfgs_options("quadratic 100 10");
  edit(options)->weight_decay = 3;
  edit(options)->groups = {{"bias", 0.5}};
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
