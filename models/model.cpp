#include "troupe/model.hpp"

#include <algorithm>

namespace troupe {

void Model::initialize(std::span<float> weights, std::uint64_t /*seed*/) { std::ranges::fill(weights, 0.0F); }

EvaluationResult Model::evaluate(const ShardStep& /*at*/, std::span<const float> /*weights*/) { return {}; }

std::vector<TensorInfo> Model::tensors() const { return {{"weights", {static_cast<std::int64_t>(size())}}}; }

void Model::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  std::ranges::copy(weights, canonical.begin());
}

void Model::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  std::ranges::copy(canonical, weights.begin());
}

}  // namespace troupe
