#include "actors/worker/non_finite.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace troupe {
namespace {

/// By position in the flat vector, the tensor that the float belongs to, counted from 1; 0 for padding.
std::vector<float> tensor_numbers(const Model& model, const std::vector<TensorInfo>& tensors) {
  std::vector<float> canonical;
  canonical.reserve(total_size(tensors));
  for (const TensorInfo& tensor : tensors)
    canonical.insert(canonical.end(), tensor.size(), static_cast<float>(&tensor - tensors.data() + 1));
  std::vector<float> numbers(model.size());
  model.from_canonical(canonical, numbers);
  return numbers;
}

}  // namespace

NonFinite first_non_finite(const Model& model, std::size_t begin, const std::vector<std::span<const float>>& vectors) {
  const auto tensors = model.tensors();
  const auto numbers = tensor_numbers(model, tensors);
  const std::size_t learned_size = model.learned_size();
  std::optional<NonFinite> first;
  for (std::size_t vector = 0; vector < vectors.size(); ++vector) {
    for (std::size_t i = 0; i < vectors[vector].size(); ++i) {
      if (std::isfinite(vectors[vector][i])) continue;
      const auto number = static_cast<std::int32_t>(numbers[begin + i]);
      NonFinite found;
      found.tensor = (number > 0 ? number : static_cast<std::int32_t>(tensors.size()) + 1) - 1;
      found.part = begin + i < learned_size ? NonFinite::kWeights : NonFinite::kStatistics;
      if (vector > 0) found.part = NonFinite::kState + static_cast<std::int32_t>(vector) - 1;
      first = std::min(first.value_or(found), found);
    }
  }
  return first.value_or(NonFinite());
}

}  // namespace troupe
