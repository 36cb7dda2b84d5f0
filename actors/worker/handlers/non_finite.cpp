#include "actors/worker/handlers/non_finite.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/tensor_numbers.hpp"

namespace troupe {

NonFinite first_non_finite(const Model& model, std::size_t begin, const std::vector<std::span<const float>>& vectors) {
  std::vector<std::size_t> tensors(model.info().tensors.size());
  std::iota(tensors.begin(), tensors.end(), std::size_t{1});
  const auto numbers = number_floats(model, tensors);
  const std::size_t learned_size = model.info().learned_size;
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
