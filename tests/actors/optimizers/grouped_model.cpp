#include "actors/optimizers/grouped_model.hpp"

#include <algorithm>
#include <sstream>

using namespace troupe;

namespace troupe_test {

struct GroupedModel::Layout {
  explicit Layout(const std::string& config) {
    std::istringstream text(config);
    int pairs = 0;
    text >> pairs >> statistics;
    for (int pair = 0; pair < pairs; ++pair) {
      tensors.push_back({std::to_string(pair) + ".weight", {37 + 731 * pair}});
      tensors.push_back({std::to_string(pair) + ".bias", {5 + 2 * pair}});
    }
    for (int tensor = 2 * pairs - 1; tensor >= 0; --tensor) {
      tensor_of.insert(tensor_of.end(), 3, -1);
      tensor_of.insert(tensor_of.end(), tensors[static_cast<std::size_t>(tensor)].size(), tensor);
    }
    tensor_of.resize((tensor_of.size() + 31) / 32 * 32, -1);
    tensor_of.resize(tensor_of.size() + statistics, 2 * pairs);
    if (statistics > 0) tensors.push_back({"statistics", {static_cast<std::int64_t>(statistics)}});
  }

  std::vector<TensorInfo> tensors;
  std::vector<int> tensor_of;
  std::size_t statistics = 0;
};

GroupedModel::GroupedModel(const std::string& config) : GroupedModel(Layout(config)) {}

GroupedModel::GroupedModel(Layout layout)
    : NoiseModel(layout.tensor_of.size()),
      learned_(layout.tensor_of.size() - layout.statistics),
      tensors_(std::move(layout.tensors)),
      tensor_of_(std::move(layout.tensor_of)) {}

BatchResult GroupedModel::gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) {
  const BatchResult result = NoiseModel::gradient(at, weights, gradient);
  for (std::size_t i = 0; i < gradient.size(); ++i)
    if (tensor_of_[i] < 0) gradient[i] = 0;
  return result;
}

void GroupedModel::initialize(std::span<float> weights, std::uint64_t seed) {
  NoiseModel::initialize(weights, seed);
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (tensor_of_[i] < 0) weights[i] = 0;
}

void GroupedModel::to_canonical(std::span<const float> weights, std::span<float> canonical) const {
  auto next = canonical.begin();
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (tensor_of_[i] == static_cast<int>(tensor)) *next++ = weights[i];
}

void GroupedModel::from_canonical(std::span<const float> canonical, std::span<float> weights) const {
  std::ranges::fill(weights, 0.0F);
  auto next = canonical.begin();
  for (std::size_t tensor = 0; tensor < tensors_.size(); ++tensor)
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (tensor_of_[i] == static_cast<int>(tensor)) weights[i] = *next++;
}

void GroupedModel::update_statistics(std::size_t /*begin*/, std::span<const float> mean, std::int64_t /*samples*/,
                                     std::span<const float> /*statistics*/, std::span<float> updated) const {
  std::ranges::copy(mean, updated.begin());
}

void register_grouped_model() {
  register_model("grouped", [](const ReplicaContext& at) { return std::make_unique<GroupedModel>(at.config); });
}

}  // namespace troupe_test
