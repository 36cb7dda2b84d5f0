#include "actors/lbfgs/smooth_models.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

#include "actors/test_models.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

constexpr std::size_t kSmoothStatistics = 64;

class Rosenbrock : public SmoothModel {
 public:
  explicit Rosenbrock(std::size_t size) : size_(size) {}

  void initialize(std::span<float> weights, std::uint64_t /*seed*/) override {
    for (std::size_t i = 0; i < size_; ++i) weights[i] = i % 2 == 0 ? -1.2F : 1.0F;
  }
  /// The pairs are distributed over the shards. Each shard has one sample, so the loss is multiplied by the number of
  /// shards: the mean is then the sum over all pairs.
  std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
    const double shards = at.num_shards;
    for (std::size_t i = 0; i + 1 < size_; i += 2) {
      if (i / 2 % static_cast<std::size_t>(at.num_shards) != static_cast<std::size_t>(at.shard)) continue;
      const double across = x[i + 1] - x[i] * x[i];
      const double along = 1 - x[i];
      loss += shards * (100 * across * across + along * along);
      gradient[i] += shards * (-400 * x[i] * across - 2 * along);
      gradient[i + 1] += shards * 200 * across;
    }
    return 1;
  }

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = size_}; }

 private:
  std::size_t size_;
};

class Quadratic : public SmoothModel {
 public:
  Quadratic(std::size_t size, double condition) : size_(size) {
    const auto most = static_cast<double>(std::min<std::size_t>(size, 50) - 1);
    for (int i = 0; i < 50; ++i) curvatures_.push_back(std::pow(condition, i / most));
  }

  void initialize(std::span<float> weights, std::uint64_t seed) override {
    for (std::size_t i = 0; i < size_; ++i) weights[i] = 1 + noise(seed, 0, i) / 2;
  }
  std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
    const auto shards = static_cast<std::size_t>(at.num_shards);
    for (auto i = static_cast<std::size_t>(at.shard); i < size_; i += shards) {
      const double curved = static_cast<double>(shards) * curvatures_[i % 50];
      loss += curved * x[i] * x[i] / 2;
      gradient[i] += curved * x[i];
    }
    return 1;
  }

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override {
    constexpr std::int64_t kBias = 37;
    const auto all = static_cast<std::int64_t>(size_);
    if (all <= kBias) return {.size = size_, .tensors = {{"weight", {all}}}};
    return {.size = size_, .tensors = {{"bias", {kBias}}, {"weight", {all - kBias}}}};
  }

 private:
  std::size_t size_;
  Numbers curvatures_;
};

class Logistic : public SmoothModel {
 public:
  Logistic(std::size_t size, std::int64_t samples, std::int64_t batch, int empty)
      : size_(size), samples_(samples), batch_(batch), empty_(empty) {}

  void initialize(std::span<float> weights, std::uint64_t /*seed*/) override {
    std::ranges::fill(weights.first(size_), 0.0F);
    std::ranges::fill(weights.subspan(size_), 0.5F);  // statistics, which never change
  }
  std::int64_t add(const ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const override {
    const std::int64_t there = at.shard == empty_ ? 0 : samples_ - at.shard % 3;
    const std::int64_t begin = std::min(there, at.step % steps() * batch_);
    const std::int64_t end = std::min(there, begin + batch_);
    for (std::int64_t sample = begin; sample < end; ++sample) {
      const auto& features = features_of(at.shard, sample);
      double sum = 0;
      for (std::size_t i = 0; i < size_; ++i) sum += x[i] * static_cast<double>(features[i]);
      const double label = noise(static_cast<std::uint64_t>(at.shard), static_cast<std::uint64_t>(sample), 1 << 20) > 0;
      loss += std::log1p(std::exp(sum)) - label * sum;
      const double factor = 1 / (1 + std::exp(-sum)) - label;
      for (std::size_t i = 0; i < size_; ++i) gradient[i] += factor * static_cast<double>(features[i]);
    }
    return end - begin;
  }
  void update_statistics(std::size_t /*begin*/, std::span<const float> /*mean*/, std::int64_t /*samples*/,
                         std::span<const float> statistics, std::span<float> updated) const override {
    std::ranges::copy(statistics, updated.begin());
  }

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override {
    const auto all = static_cast<std::int64_t>(size_);
    return {.size = size_ + kSmoothStatistics,
            .learned_size = size_,
            .tensors = {{"weight", {all - 1}},
                        {"bias", {1}},
                        {"statistics", {static_cast<std::int64_t>(kSmoothStatistics)}}},
            .steps_per_epoch = steps()};
  }

 private:
  std::int64_t steps() const { return std::max<std::int64_t>(1, (samples_ + batch_ - 1) / batch_); }
  /// Features have different scales. The last feature is 1, for the bias.
  const std::vector<float>& features_of(int shard, std::int64_t sample) const {
    auto& features = features_[{shard, sample}];
    if (!features.empty()) return features;
    for (std::size_t i = 0; i < size_; ++i)
      features.push_back(noise(static_cast<std::uint64_t>(shard), static_cast<std::uint64_t>(sample), i) /
                         static_cast<float>(1 << i % 5));
    features.back() = 1;
    return features;
  }

  std::size_t size_;
  std::int64_t samples_;
  std::int64_t batch_;
  int empty_;
  mutable std::map<std::pair<int, std::int64_t>, std::vector<float>> features_;
};

}  // namespace

BatchResult SmoothModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const std::size_t learned = info().learned_size;
  const Numbers x(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(learned));
  Numbers g(learned);
  BatchResult result;
  result.samples = add(at, x, result.loss_sum, g);
  for (std::size_t i = 0; i < learned; ++i) gradient[i] = static_cast<float>(g[i]);
  std::ranges::fill(gradient.subspan(learned), 1e6F);  // statistics, which L-BFGS must ignore
  return result;
}

std::unique_ptr<SmoothModel> make_smooth(const std::string& config) {
  std::istringstream text(config);
  std::string kind;
  std::size_t size = 0;
  text >> kind >> size;
  if (kind == "rosenbrock") return std::make_unique<Rosenbrock>(size);
  if (kind == "quadratic") {
    double condition = 1;
    text >> condition;
    return std::make_unique<Quadratic>(size, condition);
  }
  if (kind != "logistic") throw std::runtime_error("unknown function '" + kind + "'");
  std::int64_t samples = 0;
  std::int64_t batch = 0;
  int empty = -1;
  text >> samples >> batch;
  if (!(text >> empty)) empty = -1;
  return std::make_unique<Logistic>(size, samples, batch, empty);
}

void register_smooth_models() {
  register_model("smooth", [](const ReplicaContext& context) { return make_smooth(context.config); });
}

double objective(const SmoothModel& model, int num_shards, const Numbers& x, Numbers& gradient, double decay) {
  gradient.assign(x.size(), 0.0);
  double loss = 0;
  std::int64_t samples = 0;
  const std::int64_t steps = std::max<std::int64_t>(1, model.info().steps_per_epoch);
  for (int shard = 0; shard < num_shards; ++shard)
    for (std::int64_t step = 0; step < steps; ++step)
      samples += model.add({shard, num_shards, step, 1}, x, loss, gradient);
  double value = loss / static_cast<double>(samples);
  for (std::size_t i = 0; i < x.size(); ++i) {
    gradient[i] = gradient[i] / static_cast<double>(samples) + decay * x[i];
    value += decay / 2 * x[i] * x[i];
  }
  return value;
}

Numbers beginning(SmoothModel& model, std::uint64_t seed) {
  std::vector<float> weights(model.info().size);
  model.initialize(weights, seed);
  return {weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(model.info().learned_size)};
}

}  // namespace troupe_test
