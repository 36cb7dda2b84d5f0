#include "bench/program/ready_model.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "models/converts_parts.hpp"

namespace troupe::bench {
namespace {

constexpr double kReadyRate = 0.5;
constexpr std::size_t kMostTensors = 1000;
constexpr std::size_t kTensorSize = std::size_t{1} << 17;  ///< the mean size of a tensor in typical networks
constexpr std::size_t kLightweightSize = std::size_t{1} << 20;

class ReadyModel : public Model, public ConvertsParts {
 public:
  explicit ReadyModel(std::size_t size) : size_(size) {}

  BatchResult gradient(const ShardStep& at, std::span<const float> /*weights*/, std::span<float> gradient) override {
    const auto value = static_cast<float>(at.shard + 1);
    if (gradient.front() != value) std::fill(gradient.begin(), gradient.end(), value);
    return {0, 1};
  }
  void part_to_canonical(std::span<const float> weights, std::size_t begin, std::span<float> part) const override {
    std::ranges::copy(weights.subspan(begin, part.size()), part.begin());
  }

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override {
    // The model computes nothing, so a separate thread would only add cost.
    ModelInfo info{.size = size_, .lightweight = size_ <= kLightweightSize};
    const std::size_t each = std::max(kTensorSize, size_ / kMostTensors + 1);
    for (std::size_t rest = size_; rest > 0; rest -= std::min(rest, each))
      info.tensors.push_back(
          {"t" + std::to_string(info.tensors.size()), {static_cast<std::int64_t>(std::min(rest, each))}});
    return info;
  }

 private:
  std::size_t size_;
};

}  // namespace

void register_ready_model() {
  register_model(kReadyModel, [](const ReplicaContext& context) {
    return std::make_unique<ReadyModel>(std::stoull(context.config));
  });
}

void prepare_ready_model(Options& options, std::size_t parameters) {
  options.optimizer = Sgd{.learning_rate = kReadyRate};
  options.config = std::to_string(parameters);
  options.verbose = false;
}

void verify_ready_model(DistributedSGD& sgd, int shards, int steps) {
  const double sum = 0.5 * shards * (shards + 1);
  const float mean = static_cast<float>(sum) / static_cast<float>(shards);
  float expected = 0;
  for (int step = 0; step < steps; ++step) expected -= static_cast<float>(kReadyRate) * mean;
  for (const float weight : sgd.weights())
    if (!(std::abs(weight - expected) <= 1e-5F * std::abs(expected)))
      throw Error(ErrorCode::bad_data, "a weight is " + std::to_string(weight) + ", not " + std::to_string(expected));
}

}  // namespace troupe::bench
