#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe_test {

using Numbers = std::vector<double>;

/// A model whose loss is computed in doubles, from weights that are floats, and whose gradient is rounded once.
class SmoothModel : public troupe::Model {
 public:
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override;

  /// Adds the loss of a batch and its gradient of what is learned. Returns its samples.
  virtual std::int64_t add(const troupe::ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const = 0;
};

/// As Options::config says, "KIND SIZE ...":
/// - "rosenbrock SIZE": pairs of coordinates in Rosenbrock's valley, from (-1.2, 1), with the minimum at ones.
/// - "quadratic SIZE CONDITION": along the axes, from 1 to CONDITION curved, with the minimum at zero. Its tensors are
///   "bias" of 37 floats, if there are more, and "weight".
/// - "logistic SIZE SAMPLES BATCH [EMPTY]": SIZE is a multiple of 32, of which one is a bias, "bias", and the others
///   are "weight"; 64 floats of statistics follow. A shard has SAMPLES less its number modulo 3, in batches, and shard
///   EMPTY none.
std::unique_ptr<SmoothModel> make_smooth(const std::string& config);

/// As "smooth".
void register_smooth_models();

/// Mean loss and its gradient over all batches of all shards of a started model, and the penalty, in doubles.
double objective(const SmoothModel& model, int num_shards, const Numbers& x, Numbers& gradient, double decay = 0);
/// What a model's weights are to begin with, as far as they are learned.
Numbers beginning(SmoothModel& model, std::uint64_t seed = 1);

}  // namespace troupe_test
