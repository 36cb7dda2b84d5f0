#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "models/files.hpp"
#include "models/optimizers/set_rates.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/random.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Floats = std::vector<float>;

/// Weights and state of an optimizer, and the buffers for the next version.
struct Vectors {
  explicit Vectors(std::size_t size) : weights(size), next(size), state{Floats(size), Floats(size)}, next_state(state) {
    Random random(11);
    for (float& weight : weights) weight = static_cast<float>(random.normal());
  }

  void step(const UpdateRules& optimizer, std::int64_t number, const Floats& gradient, std::size_t chunk) {
    const UpdateFunction update = optimizer.prepare({optimizer.learning_rate(number), number, number}).front();
    for (std::size_t begin = 0; begin < weights.size(); begin += chunk) {
      const std::size_t count = std::min(chunk, weights.size() - begin);
      const std::array<const float*, 2> from{state[0].data() + begin, state[1].data() + begin};
      const std::array<float*, 2> to{next_state[0].data() + begin, next_state[1].data() + begin};
      update({count, gradient.data() + begin, weights.data() + begin, next.data() + begin, from.data(), to.data()});
    }
    weights.swap(next);
    state.swap(next_state);
  }

  Floats weights;
  Floats next;
  std::array<Floats, 2> state;
  std::array<Floats, 2> next_state;
};

Floats gradient_of(std::size_t size, std::int64_t step) {
  Random random(12, static_cast<std::uint64_t>(step));
  Floats gradient(size);
  for (float& value : gradient) value = static_cast<float>(random.normal());
  return gradient;
}

/// Updates one parameter in double: (weight, state, gradient, step counted from 1).
using Reference = std::function<void(double& w, std::array<double, 2>& state, double g, int t)>;

void check_against(const OptimizerSettings& options, const Reference& reference) {
  constexpr std::size_t kSize = 37;
  const UpdateRules optimizer(options);
  Vectors vectors(kSize);
  std::vector<double> weights(vectors.weights.begin(), vectors.weights.end());
  std::vector<std::array<double, 2>> states(kSize);
  for (int t = 1; t <= 20; ++t) {
    const Floats gradient = gradient_of(kSize, t);
    vectors.step(optimizer, t - 1, gradient, kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
      reference(weights[i], states[i], static_cast<double>(gradient[i]) + options.weight_decay * weights[i], t);
      REQUIRE(static_cast<double>(vectors.weights[i]) == doctest::Approx(weights[i]).epsilon(1e-4).scale(1));
    }
  }
}

OptimizerSettings with(const std::string& kind, double rate, double weight_decay) {
  OptimizerSettings options;
  options.kind = kind;
  options.learning_rate = rate;
  options.weight_decay = weight_decay;
  return options;
}

}  // namespace

TEST_CASE("sgd, momentum and nesterov follow their formulas") {
  for (const double decay : {0.0, 0.1}) {
    auto options = with("sgd", 0.05, decay);
    check_against(options, [](double& w, auto&, double g, int) { w -= 0.05 * g; });
    options.momentum = 0.9;
    check_against(options, [](double& w, auto& state, double g, int t) {
      state[0] = t == 1 ? g : 0.9 * state[0] + g;
      w -= 0.05 * state[0];
    });
    options.nesterov = true;
    check_against(options, [](double& w, auto& state, double g, int t) {
      state[0] = t == 1 ? g : 0.9 * state[0] + g;
      w -= 0.05 * (g + 0.9 * state[0]);
    });
  }
}

TEST_CASE("adagrad and adam follow their formulas") {
  for (const double decay : {0.0, 0.1}) {
    check_against(with("adagrad", 0.05, decay), [](double& w, auto& state, double g, int) {
      state[0] += g * g;
      w -= 0.05 * g / (std::sqrt(state[0]) + 1e-8);
    });
    check_against(with("adam", 0.05, decay), [](double& w, auto& state, double g, int t) {
      state[0] = 0.9 * state[0] + 0.1 * g;
      state[1] = 0.999 * state[1] + 0.001 * g * g;
      const double first = state[0] / (1 - std::pow(0.9, t));
      const double second = state[1] / (1 - std::pow(0.999, t));
      w -= 0.05 * first / (std::sqrt(second) + 1e-8);
    });
  }
}

TEST_CASE("adamw decays the weights directly and not through the gradient") {
  for (const double decay : {0.0, 0.1}) {
    check_against(with("adamw", 0.05, decay), [decay](double& w, auto& state, double decayed, int t) {
      const double g = decayed - decay * w;
      w -= 0.05 * decay * w;
      state[0] = 0.9 * state[0] + 0.1 * g;
      state[1] = 0.999 * state[1] + 0.001 * g * g;
      const double first = state[0] / (1 - std::pow(0.9, t));
      const double second = state[1] / (1 - std::pow(0.999, t));
      w -= 0.05 * first / (std::sqrt(second) + 1e-8);
    });
  }
}

TEST_CASE("bias corrections depend on the number of updates, and the learning rate on the step") {
  auto options = with("adam", 0.05, 0);
  options.schedule = {.kind = ScheduleKind::step, .step_size = 10, .gamma = 0.5};
  const Floats one(1, 1);
  const auto moved = [&](std::int64_t step, std::int64_t updates) {
    const Floats zero(1, 0);
    Floats w(1);
    Floats m(1);
    Floats v(1);
    const float* const state[] = {zero.data(), zero.data()};
    float* const new_state[] = {m.data(), v.data()};
    const UpdateRules optimizer(options);
    const UpdateFunction update = optimizer.prepare({optimizer.learning_rate(step), step, updates}).front();
    update({1, one.data(), zero.data(), w.data(), state, new_state});
    return static_cast<double>(-w[0]);
  };
  CHECK(moved(0, 0) == doctest::Approx(0.05));
  CHECK(moved(10, 0) == doctest::Approx(0.025));
  CHECK(moved(0, 10) < 0.03);
}

TEST_CASE("results are bitwise independent of how the vector is split") {
  constexpr std::size_t kSize = 4097;
  std::vector<OptimizerSettings> trials;
  for (const char* kind : {"sgd", "adagrad", "adam", "adamw"}) trials.push_back(with(kind, 0.05, 0.01));
  for (const bool nesterov : {false, true}) {
    trials.push_back(with("sgd", 0.05, 0.01));
    trials.back().momentum = 0.9;
    trials.back().nesterov = nesterov;
  }
  for (const OptimizerSettings& options : trials) {
    CAPTURE(options.kind);
    CAPTURE(options.momentum);
    CAPTURE(options.nesterov);
    const UpdateRules optimizer(options);
    const auto run = [&](std::size_t chunk) {
      Vectors vectors(kSize);
      for (int t = 0; t < 3; ++t) vectors.step(optimizer, t, gradient_of(kSize, t), chunk);
      return vectors;
    };
    const Vectors whole = run(kSize);
    for (const std::size_t chunk : {1, 3, 16, 1000}) {
      CAPTURE(chunk);
      const Vectors parts = run(chunk);
      CHECK(parts.weights == whole.weights);
      CHECK(parts.state == whole.state);
    }
  }
}

TEST_CASE("an optimizer reports the number of its state vectors") {
  CHECK(UpdateRules(with("sgd", 1, 0)).state_vectors() == 0);
  CHECK(UpdateRules(with("adagrad", 1, 0)).state_vectors() == 1);
  CHECK(UpdateRules(with("adam", 1, 0)).state_vectors() == 2);
  CHECK(UpdateRules(with("adamw", 1, 0)).state_vectors() == 2);
  auto momentum = with("sgd", 1, 0);
  momentum.momentum = 0.5;
  CHECK(UpdateRules(momentum).state_vectors() == 1);
}

TEST_CASE("gradients are clipped like PyTorch's clip_grad_norm_") {
  auto options = with("sgd", 1, 0);
  CHECK_FALSE(UpdateRules(options).clips());
  CHECK(UpdateRules(options).clip_factor(1e9) == 1);
  options.clip_norm = 2;
  const UpdateRules optimizer(options);
  CHECK(optimizer.clips());
  CHECK(optimizer.clip_factor(0) == 1);
  CHECK(optimizer.clip_factor(1.9) == 1);
  CHECK(optimizer.clip_factor(8) == static_cast<float>(2 / (8 + 1e-6)));
  CHECK(optimizer.clip_factor(std::numeric_limits<double>::infinity()) == 1);
  CHECK(optimizer.clip_factor(std::numeric_limits<double>::quiet_NaN()) == 1);
}

TEST_CASE("learning rates follow their schedules") {
  auto options = with("sgd", 0.8, 0);
  const auto rate = [&](std::int64_t step) { return UpdateRules(options).learning_rate(step); };
  CHECK(rate(0) == 0.8);
  CHECK(rate(1'000'000) == 0.8);

  options.schedule = {.kind = ScheduleKind::step, .step_size = 10, .gamma = 0.5};
  CHECK(rate(9) == doctest::Approx(0.8));
  CHECK(rate(10) == doctest::Approx(0.4));
  CHECK(rate(25) == doctest::Approx(0.2));

  options.schedule = {.kind = ScheduleKind::cosine, .total_steps = 100, .final_fraction = 0.1};
  CHECK(rate(0) == doctest::Approx(0.8));
  CHECK(rate(50) == doctest::Approx(0.8 * 0.55));
  CHECK(rate(25) == doctest::Approx(0.8 * (0.1 + 0.9 * (1 + std::cos(std::numbers::pi / 4)) / 2)));
  CHECK(rate(100) == doctest::Approx(0.08));
  CHECK(rate(1000) == doctest::Approx(0.08));

  options.schedule = {.kind = ScheduleKind::linear, .warmup_steps = 10, .total_steps = 100, .final_fraction = 0.1};
  CHECK(rate(5) == doctest::Approx(0.4));
  CHECK(rate(10) == doctest::Approx(0.8));
  CHECK(rate(60) == doctest::Approx(0.8 * 0.55));
  CHECK(rate(110) == doctest::Approx(0.08));
  CHECK(rate(1000) == doctest::Approx(0.08));

  options.schedule = {.kind = ScheduleKind::wsd, .warmup_steps = 10, .total_steps = 100, .decay_steps = 20};
  CHECK(rate(10) == doctest::Approx(0.8));
  CHECK(rate(90) == doctest::Approx(0.8));
  CHECK(rate(100) == doctest::Approx(0.4));
  CHECK(rate(110) == doctest::Approx(0));
  options.schedule.decay_steps = 0;  // a tenth
  CHECK(rate(100) == doctest::Approx(0.8));
  CHECK(rate(105) == doctest::Approx(0.4));
  options.schedule.decay_steps = 1000;  // not more than all steps
  CHECK(rate(60) == doctest::Approx(0.4));

  options.schedule = {.kind = ScheduleKind::step, .warmup_steps = 4, .step_size = 10, .gamma = 0.5};
  CHECK(rate(0) == 0.0);
  CHECK(rate(1) == doctest::Approx(0.2));
  CHECK(rate(3) == doctest::Approx(0.6));
  CHECK(rate(4) == doctest::Approx(0.8));
  CHECK(rate(13) == doctest::Approx(0.8));
  CHECK(rate(14) == doctest::Approx(0.4));
}

TEST_CASE("a learning rate function replaces the schedule and must return a finite float from 0 on") {
  auto options = with("sgd", 0.8, 0);
  options.schedule = {.kind = ScheduleKind::step, .warmup_steps = 4};
  options.learning_rate_at = [](std::int64_t step) { return 1.0 / static_cast<double>(step - 3); };
  const UpdateRules optimizer(options);
  CHECK(optimizer.learning_rate(4) == 1);
  CHECK(optimizer.learning_rate(7) == 0.25);
  for (const std::int64_t step : {2, 3})  // -1 and infinity
    check_throws(ErrorCode::invalid_argument, "learning_rate(" + std::to_string(step) + ")",
                 [&] { optimizer.learning_rate(step); });
}

TEST_CASE("a set learning rate applies from its step until the next one or until the run goes back") {
  SetRates rates;
  CHECK_FALSE(rates.at(0));
  rates.set(5, 0.5);
  rates.set(7, 0.25);
  rates.set(9, 0.25);
  CHECK_FALSE(rates.at(4));
  CHECK(rates.at(5) == 0.5);
  CHECK(rates.at(6) == 0.5);
  CHECK(rates.at(7) == 0.25);
  CHECK(rates.at(1000) == 0.25);
  rates.set(7, 0.125);
  rates.set(6, 1);  // after the run went back
  CHECK(rates.at(5) == 0.5);
  CHECK(rates.at(7) == 1);
  rates.begin(3, 2);
  CHECK_FALSE(rates.at(2));
  CHECK(rates.at(7) == 2);
  rates.begin(4, {});
  CHECK_FALSE(rates.at(4));
}

TEST_CASE("invalid options are refused by name") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto refused = [](const std::string& what, const std::function<void(OptimizerSettings&)>& spoil) {
    OptimizerSettings options;
    spoil(options);
    check_throws(ErrorCode::invalid_argument, what, [&] { UpdateRules optimizer(options); });
  };
  refused("no optimizer named 'sdg'; there are adagrad, adam, ", [](auto& o) { o.kind = "sdg"; });
  for (const double value : {-1.0, kNan, kInfinity}) {
    refused("learning_rate", [&](auto& o) { o.learning_rate = value; });
    refused("momentum", [&](auto& o) { o.momentum = value; });
    refused("weight_decay", [&](auto& o) { o.weight_decay = value; });
    refused("epsilon", [&](auto& o) { o.epsilon = value; });
    refused("clip_norm", [&](auto& o) { o.clip_norm = value; });
    refused("gamma", [&](auto& o) { o.schedule.gamma = value; });
    refused("final_fraction", [&](auto& o) { o.schedule.final_fraction = value; });
  }
  for (const double value : {-0.1, 1.0, kNan}) {
    refused("beta1", [&](auto& o) { o.beta1 = value; });
    refused("beta2", [&](auto& o) { o.beta2 = value; });
  }
  refused("nesterov", [](auto& o) { o.nesterov = true; });
  refused("momentum", [](auto& o) {
    o.kind = "adam";
    o.momentum = 0.9;
  });
  refused("kind", [](auto& o) { o.schedule.kind = static_cast<ScheduleKind>(9); });
  refused("warmup_steps", [](auto& o) { o.schedule.warmup_steps = -1; });
  refused("step_size", [](auto& o) { o.schedule.step_size = 0; });
  refused("total_steps", [](auto& o) { o.schedule.total_steps = 0; });
  refused("dimensions", [](auto& o) { o.groups = {{.pattern = "*", .dimensions = 9}}; });
  refused("dimensions", [](auto& o) { o.groups = {{.pattern = "*", .frozen = true, .dimensions = 1}}; });
  refused("before all groups", [](auto& o) {
    o.groups = {{.pattern = "*", .dimensions = 1}, {.pattern = "a", .frozen = true}};
  });
  refused("decay_steps", [](auto& o) { o.schedule.decay_steps = -1; });
}
