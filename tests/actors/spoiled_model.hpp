#pragma once

#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe_test {

/// The values that the model "spoiled" writes to the gradient of shard 1. Options::config contains the text of this
/// object.
struct Spoil {
  std::string tensors;        ///< letters: 'a', 'b', 'c' or 'd', or 'p' for padding
  std::string value = "inf";  ///< "inf", "-inf" or "nan"; 1e30 in 'd' makes `update_statistics` throw
  int times = 2;              ///< number of times that this happens
  int step = 2;               ///< happens after this number of committed steps

  std::string text() const;
};

/// A model with tensors 'a', 'b' and 'c' of many pages, and statistics 'd'. The flat vector has another order than the
/// canonical one, and padding between tensors. The loss is always finite.
class SpoiledModel : public troupe::Model {
 public:
  explicit SpoiledModel(Spoil spoil) : spoil_(std::move(spoil)) {}

  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override;
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const override;
  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override;
  void from_canonical(std::span<const float> canonical, std::span<float> weights) const override;

 protected:
  troupe::ModelInfo prepare(const troupe::ReplicaContext& context) override;

 private:
  Spoil spoil_;
};

void register_spoiled_model();

}  // namespace troupe_test
