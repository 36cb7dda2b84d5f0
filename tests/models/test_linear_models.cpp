#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "files.hpp"
#include "gradient_check.hpp"
#include "runtime/random.hpp"
#include "support/started.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

std::vector<double> widen(const std::vector<float>& values) { return {values.begin(), values.end()}; }

struct LinearSamples {
  std::size_t count;
  std::size_t features;
  std::vector<float> values;
  std::vector<float> targets;
  std::vector<std::int32_t> labels;
};

LinearSamples make_samples(std::size_t count, std::size_t features, int classes) {
  LinearSamples samples{count, features, normals(count * features, 1), normals(count, 2), {}};
  Random random(3);
  for (std::size_t i = 0; i < count; ++i) {
    samples.labels.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(classes))));
  }
  return samples;
}

TrainingData regression(const LinearSamples& from) {
  const auto set = std::make_shared<Dataset>(
      Dataset::targets({static_cast<std::int64_t>(from.features)}, from.values, from.targets));
  return {set, set};
}

TrainingData classification(const LinearSamples& from, int classes) {
  const auto set = std::make_shared<Dataset>(
      Dataset::classes({static_cast<std::int64_t>(from.features)}, from.values, from.labels, classes));
  return {set, set};
}

double squares(const LinearSamples& from, const std::vector<double>& w) {
  double sum = 0;
  for (std::size_t i = 0; i < from.count; ++i) {
    double error = -static_cast<double>(from.targets[i]);
    for (std::size_t j = 0; j < from.features; ++j) {
      error += static_cast<double>(from.values[i * from.features + j]) * w[j];
    }
    sum += error * error;
  }
  return sum;
}

double mean_cross_entropy(const LinearSamples& from, std::size_t classes, const std::vector<double>& w) {
  double sum = 0;
  for (std::size_t i = 0; i < from.count; ++i) {
    std::vector<double> scores(w.end() - static_cast<std::ptrdiff_t>(classes), w.end());
    double total = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t j = 0; j < from.features; ++j) {
        scores[c] += w[c * from.features + j] * static_cast<double>(from.values[i * from.features + j]);
      }
      total += std::exp(scores[c]);
    }
    sum += std::log(total) - scores[static_cast<std::size_t>(from.labels[i])];
  }
  return sum;
}

/// Loss, count and gradient, summed over all shards.
struct Total {
  BatchResult result;
  std::vector<double> gradient;
};

Total over_shards(Model& model, const std::vector<float>& weights, int num_shards, std::int64_t step = 0) {
  Total total{{}, std::vector<double>(model.info().size)};
  std::vector<float> gradient(model.info().size, NAN);
  for (int shard = 0; shard < num_shards; ++shard) {
    const BatchResult part = model.gradient({shard, num_shards, step, 1}, weights, gradient);
    total.result.loss_sum += part.loss_sum;
    total.result.samples += part.samples;
    for (std::size_t i = 0; i < gradient.size(); ++i) total.gradient[i] += static_cast<double>(gradient[i]);
  }
  return total;
}

}  // namespace

TEST_CASE("linear regression has the gradient of its loss") {
  for (const std::size_t features : {1, 4, 7, 33}) {
    CAPTURE(features);
    const LinearSamples samples = make_samples(51, features, 2);
    const auto model = started(models::linear_regression(regression(samples)));
    REQUIRE(model->info().size == features);
    CHECK(model->info().num_samples == 51);
    CHECK(model->info().lightweight);
    const auto weights = normals(features, 9);
    std::vector<float> gradient(features);
    const BatchResult result = model->gradient({0, 1, 0, 1}, weights, gradient);
    CHECK(result.samples == 51);
    CHECK(result.loss_sum == doctest::Approx(squares(samples, widen(weights))));
    check_gradient(gradient, widen(weights), [&](const auto& w) { return squares(samples, w); });
  }
}

TEST_CASE("softmax regression has the gradient of its loss") {
  for (const std::size_t features : {1, 5, 32, 45}) {
    CAPTURE(features);
    constexpr std::size_t kThreeClasses = 3;
    const LinearSamples samples = make_samples(20, features, kThreeClasses);
    const auto model = started(models::softmax_regression(classification(samples, kThreeClasses), 0));
    REQUIRE(model->info().size == kThreeClasses * (features + 1));
    const auto weights = normals(model->info().size, 9);
    std::vector<float> gradient(model->info().size, NAN);
    const BatchResult result = model->gradient({0, 1, 0, 1}, weights, gradient);
    const auto loss = [&](const auto& w) { return mean_cross_entropy(samples, kThreeClasses, w); };
    CHECK(result.loss_sum == doctest::Approx(loss(widen(weights))).epsilon(1e-5));
    check_gradient(gradient, widen(weights), loss);
  }
}

TEST_CASE("the gradients of shards of any size add up to the gradient of one machine") {
  const LinearSamples samples = make_samples(23, 5, 4);
  const auto check = [](Model& model, std::int64_t steps) {
    const auto weights = normals(model.info().size, 4);
    const auto one = over_shards(model, weights, 1);
    for (const int num_shards : {2, 4, 7, 30}) {
      Total all{{}, std::vector<double>(model.info().size)};
      for (std::int64_t step = 0; step < steps; ++step) {
        const Total part = over_shards(model, weights, num_shards, step);
        all.result.loss_sum += part.result.loss_sum;
        all.result.samples += part.result.samples;
        std::ranges::transform(all.gradient, part.gradient, all.gradient.begin(), std::plus{});
      }
      CAPTURE(num_shards);
      CHECK(all.result.samples == 23);
      CHECK(all.result.loss_sum == doctest::Approx(one.result.loss_sum).epsilon(1e-5));
      for (std::size_t i = 0; i < one.gradient.size(); ++i) {
        CHECK(all.gradient[i] == doctest::Approx(one.gradient[i]).epsilon(1e-4).scale(1));
      }
    }
  };
  check(*started(models::linear_regression(regression(samples), 0)), 1);
  check(*started(models::softmax_regression(classification(samples, 4), 0)), 1);
}

TEST_CASE("an epoch of batches covers a shard, with a partial last batch") {
  const LinearSamples samples = make_samples(10, 2, 2);
  const auto model = started(models::linear_regression(regression(samples), 4));
  CHECK(model->info().steps_per_epoch == 3);
  const auto weights = normals(2, 4);
  double loss = 0;
  std::vector<std::int64_t> sizes;
  for (std::int64_t step = 0; step < 3; ++step) {
    const Total part = over_shards(*model, weights, 1, step);
    loss += part.result.loss_sum;
    sizes.push_back(part.result.samples);
  }
  CHECK(sizes == std::vector<std::int64_t>{4, 4, 2});
  CHECK(loss == doctest::Approx(squares(samples, widen(weights))));
}

TEST_CASE("results do not depend on the alignment of weights and gradients, bit for bit") {
  const LinearSamples samples = make_samples(37, 19, 3);
  const auto check = [](Model& model) {
    const auto weights = normals(model.info().size, 4);
    std::vector<float> wanted(model.info().size);
    const double loss = model.gradient({1, 2, 0, 1}, weights, wanted).loss_sum;
    for (std::size_t offset = 0; offset < 16; ++offset) {
      std::vector<float> room(model.info().size + offset);
      std::ranges::copy(weights, room.begin() + static_cast<std::ptrdiff_t>(offset));
      std::vector<float> out(model.info().size + offset);
      const auto gradient = std::span(out).subspan(offset);
      CHECK(model.gradient({1, 2, 0, 1}, std::span(room).subspan(offset), gradient).loss_sum == loss);
      CHECK(std::ranges::equal(gradient, wanted));
    }
  };
  check(*started(models::linear_regression(regression(samples), 0)));
  check(*started(models::softmax_regression(classification(samples, 3), 8)));
}

TEST_CASE("the results of the test set's shards, in batches, add up to the whole result") {
  const LinearSamples samples = make_samples(1203, 3, 3);
  const auto check = [](Model& model, double loss) {
    const auto weights = normals(model.info().size, 9);
    const EvaluationResult whole = model.evaluate({0, 1, 0, 1}, weights);
    CHECK(whole.samples == 1203);
    CHECK(whole.loss_sum == doctest::Approx(loss).epsilon(1e-4));
    EvaluationResult sum;
    for (int shard = 0; shard < 2000; ++shard) {
      const EvaluationResult part = model.evaluate({shard, 2000, 0, 1}, weights);
      sum = {sum.loss_sum + part.loss_sum, sum.correct + part.correct, sum.samples + part.samples};
    }
    CHECK(sum.samples == whole.samples);
    CHECK(sum.correct == whole.correct);
    CHECK(sum.loss_sum == doctest::Approx(whole.loss_sum));
  };
  check(*started(models::linear_regression(regression(samples))), squares(samples, widen(normals(3, 9))));
  check(*started(models::softmax_regression(classification(samples, 3))),
        mean_cross_entropy(samples, 3, widen(normals(12, 9))));
}

TEST_CASE("softmax regression classifies classes that a line separates") {
  const auto set = std::make_shared<Dataset>(Dataset::classes({1}, {-1, 1, -2, 2}, {0, 1, 0, 1}, 2));
  const auto model = started(models::softmax_regression({set, set}, 0));
  CHECK(model->evaluate({0, 1, 0, 1}, std::vector<float>{-3, 3, 0, 0}).correct == 4);
  CHECK(model->evaluate({0, 1, 0, 1}, std::vector<float>{3, -3, 0, 0}).correct == 0);
}

TEST_CASE("scores that would overflow an exponential give finite losses and gradients") {
  const auto set = std::make_shared<Dataset>(Dataset::classes({1}, std::vector<float>{1}, {0}, 2));
  const auto model = started(models::softmax_regression({set, nullptr}, 0));
  std::vector<float> gradient(4);
  const double loss = model->gradient({0, 1, 0, 1}, std::vector<float>{-1000, 1000, 0, 0}, gradient).loss_sum;
  CHECK(loss == doctest::Approx(2000));
  CHECK(gradient == std::vector<float>{-1, 1, -1, 1});
  CHECK(model->evaluate({0, 1, 0, 1}, gradient).samples == 0);
}

TEST_CASE("softmax regression names its tensors") {
  const auto model = started(models::softmax_regression(classification(make_samples(6, 5, 3), 3)));
  const auto tensors = model->info().tensors;
  REQUIRE(tensors.size() == 2);
  CHECK(tensors[0].name == "weight");
  CHECK(tensors[0].shape == std::vector<std::int64_t>{3, 5});
  CHECK(tensors[1].name == "bias");
  CHECK(tensors[1].shape == std::vector<std::int64_t>{3});
}

TEST_CASE("data that a model cannot learn is refused") {
  const LinearSamples samples = make_samples(6, 5, 3);
  const auto invalid = [](const std::string& what, auto call) {
    check_throws(ErrorCode::invalid_argument, what, call);
  };
  invalid("needs numbers", [&] { models::linear_regression(classification(samples, 3)); });
  invalid("needs classes", [&] { models::softmax_regression(regression(samples)); });
  const TrainingData two{std::make_shared<Dataset>(Dataset::targets({1}, {1}, {2, 3}, 2)), nullptr};
  invalid("one target per sample, but the data has 2", [&] { models::linear_regression(two); });
  invalid("batch size", [&] { models::linear_regression(regression(samples), -1); });
  invalid("training data", [] { models::linear_regression({}); });
  TrainingData mixed = classification(samples, 3);
  mixed.test = regression(samples).test;
  check_throws(ErrorCode::bad_data, "test set", [&] { models::softmax_regression(mixed); });
}
