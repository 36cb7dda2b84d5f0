#include "models/tensor_numbers.hpp"

namespace troupe {

std::vector<float> number_floats(const Model& model, std::span<const std::size_t> numbers) {
  const auto& tensors = model.info().tensors;
  std::vector<float> canonical;
  canonical.reserve(total_size(tensors));
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor)
    canonical.insert(canonical.end(), tensors[tensor].size(), static_cast<float>(numbers[tensor]));
  std::vector<float> flat(model.info().size);
  model.from_canonical(canonical, flat);
  return flat;
}

}  // namespace troupe
