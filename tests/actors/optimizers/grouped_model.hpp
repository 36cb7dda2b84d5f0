#pragma once

#include <string>
#include <vector>

#include "actors/test_models.hpp"

namespace troupe_test {

/// Has the gradients of NoiseModel for tensors "0.weight", "0.bias", "1.weight", ... with odd lengths. The flat vector
/// contains the tensors in reverse order, with three floats of padding before each tensor. Statistics, if there are
/// any, come last in both orders: they are the mean of the values that shards wrote.
class GroupedModel : public NoiseModel {
 public:
  /// @param config the number of pairs of tensors, and the number of floats of statistics (a multiple of 32)
  explicit GroupedModel(const std::string& config);

  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override;
  void initialize(std::span<float> weights, std::uint64_t seed) override;
  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override;
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override;
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const override;

  /// Returns, for each float of the flat vector, the index of its tensor, or -1 for padding.
  const std::vector<int>& tensor_of() const { return tensor_of_; }

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& /*context*/) override {
    return {.size = tensor_of_.size(), .learned_size = learned_, .tensors = tensors_};
  }

 private:
  struct Layout;
  explicit GroupedModel(Layout layout);

  std::size_t learned_;
  std::vector<troupe::TensorInfo> tensors_;
  std::vector<int> tensor_of_;
};

/// Registers the model under the name "grouped".
void register_grouped_model();

}  // namespace troupe_test
