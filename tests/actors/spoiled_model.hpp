#pragma once

#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe_test {

/// What the model "spoiled" puts into the gradient of shard 1: `Options::config` carries its text.
struct Spoil {
  std::string tensors;        ///< letters: 'a', 'b', 'c' or 'd', or 'p' for padding
  std::string value = "inf";  ///< "inf", "-inf" or "nan"; 1e30 in 'd' makes `update_statistics` throw
  int times = 2;              ///< so often, and then no more
  int step = 2;               ///< at so many committed steps

  std::string text() const;
};

/// Tensors 'a', 'b' and 'c' of many pages and statistics 'd', in a flat vector that holds them in another order, back
/// to front, with padding between. The loss is always finite.
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
