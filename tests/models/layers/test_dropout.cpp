#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/files.hpp"
#include "models/network/network_plan.hpp"
#include "models/network_trial.hpp"

using namespace troupe;
using namespace troupe::models;
using namespace troupe::test;

namespace {

/// A layer that passes values and gradients through and records them.
class Probe final : public CustomLayer {
 public:
  std::string kind() const override { return "probe"; }
  bool takes_copies() const override { return true; }
  SampleShape output(std::span<const SampleShape> inputs) const override { return inputs[0]; }
  void forward(const Forward& at) const override {
    std::ranges::copy(at.input, at.output.begin());
    values.assign(at.input.begin(), at.input.end());
  }
  void backward(const Backward& at) const override {
    std::ranges::copy(at.output_gradient, at.input_gradient.begin());
    gradients.assign(at.output_gradient.begin(), at.output_gradient.end());
  }

  mutable std::vector<float> values, gradients;
};

constexpr double kProbability = 0.25;
constexpr std::int64_t kBatch = 7;

/// Two dropouts between probes. The second dropout has another layer number.
struct Dropping {
  std::shared_ptr<Probe> before = std::make_shared<Probe>(), between = std::make_shared<Probe>(),
                         after = std::make_shared<Probe>();
  NetworkTrial trial;

  explicit Dropping(Precision precision = Precision::f32, std::int64_t channels = 19)
      : trial({"dropout",
               {4, 9, 9},
               {conv2d(channels, {.kernel = 1}), before, dropout(kProbability), between, dropout(kProbability), after,
                flatten(), linear(kClasses)}},
              kBatch, precision) {}

  /// Returns for each value whether the first dropout kept it at that step.
  std::vector<bool> kept(const ShardStep& at) {
    trial.network->gradient(at, trial.samples(), trial.weights, trial.gradient);
    std::vector<bool> result;
    for (const float value : between->values) result.push_back(value != 0);
    return result;
  }
};

double share(const std::vector<bool>& kept) {
  return static_cast<double>(std::ranges::count(kept, true)) / static_cast<double>(kept.size());
}

}  // namespace

TEST_CASE("images with few channels are dropped like others") {
  for (const std::int64_t channels : {5, 16}) {
    CAPTURE(channels);
    Dropping few(Precision::f32, channels);
    const std::vector<bool> kept = few.kept({.step = 3});
    CHECK(share(kept) == doctest::Approx(1 - kProbability).epsilon(0.05));
    for (std::size_t i = 0; i < kept.size(); ++i)
      CHECK(few.between->values[i] ==
            doctest::Approx(kept[i] ? few.before->values[i] / static_cast<float>(1 - kProbability) : 0.0F));
  }
}

TEST_CASE("dropout zeroes a share of the values, scales the others, and treats gradients in the same way") {
  Dropping with;
  const std::vector<bool> kept = with.kept({.shard = 2, .step = 5, .seed = 9});
  REQUIRE(kept.size() == static_cast<std::size_t>(kBatch * 19 * 81));
  CHECK(share(kept) == doctest::Approx(1 - kProbability).epsilon(0.02));
  const float scale = 1 / (1 - static_cast<float>(kProbability));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    REQUIRE(with.between->values[i] == (kept[i] ? with.before->values[i] * scale : 0));
    REQUIRE(with.before->gradients[i] == (kept[i] ? with.between->gradients[i] * scale : 0));
  }
}

TEST_CASE("the dropped values depend on seed, shard, step and layer alone") {
  Dropping with;
  const ShardStep at{.shard = 2, .step = 5, .seed = 9};
  const std::vector<bool> kept = with.kept(at);
  std::vector<bool> kept_by_second;
  for (const float value : with.after->values) kept_by_second.push_back(value != 0);
  CHECK(share(kept_by_second) == doctest::Approx(std::pow(1 - kProbability, 2)).epsilon(0.03));
  CHECK(with.kept({.shard = 3, .step = 5, .seed = 9}) != kept);
  CHECK(with.kept({.shard = 2, .step = 6, .seed = 9}) != kept);
  CHECK(with.kept({.shard = 2, .step = 5, .seed = 8}) != kept);
  CHECK(with.kept(at) == kept);
  CHECK(Dropping().kept(at) == kept);
}

TEST_CASE("an evaluation drops no values") {
  Dropping with;
  with.trial.network->evaluate({.shard = 1}, with.trial.samples(), with.trial.weights);
  CHECK(with.before->values == with.between->values);
  CHECK(with.before->values == with.after->values);
}

TEST_CASE("padding stays zero after a dropout") {
  Dropping with;
  std::vector<float> again(with.trial.gradient.size());
  with.trial.network->copy_canonical(with.trial.canonical(with.trial.gradient), again);
  CHECK(std::ranges::equal(again, with.trial.gradient));
}

TEST_CASE("a dropout with a probability below 0 or of 1 is refused") {
  for (const double probability : {1.0, -0.1, std::nan("")})
    testing::check_throws(ErrorCode::invalid_argument, "layer 1 (dropout) has the probability", [&] {
      plan_network(Graph({flatten(), dropout(probability), linear(kClasses)}), std::vector<std::int64_t>{4}, kClasses);
    });
}
