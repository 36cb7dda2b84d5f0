#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/numbers.hpp"
#include "troupe/sgd.hpp"

namespace troupe_test {

/// A model that computes its loss in doubles from float weights, and rounds its gradient once.
class SmoothModel : public troupe::Model {
 public:
  troupe::BatchResult gradient(const troupe::ShardStep& at, std::span<const float> weights,
                               std::span<float> gradient) override;

  /// Adds the loss of a batch to `loss`, and its gradient with respect to the learned weights to `gradient`. Returns
  /// the number of samples.
  virtual std::int64_t add(const troupe::ShardStep& at, const Numbers& x, double& loss, Numbers& gradient) const = 0;
};

/// Returns the model that Options::config describes as "KIND SIZE ...":
/// - "rosenbrock SIZE": pairs of coordinates in Rosenbrock's valley, from (-1.2, 1), with the minimum at ones.
/// - "quadratic SIZE CONDITION": curvatures along the axes are 1 to CONDITION, with the minimum at zero. The tensors
/// are "bias" with 37 floats, if SIZE is larger than 37, and "weight".
/// - "logistic SIZE SAMPLES BATCH [EMPTY]": SIZE is a multiple of 32. One float is "bias", the others are "weight"; 64
/// floats of statistics follow. A shard has SAMPLES samples minus the shard's number modulo 3, in batches of BATCH.
/// Shard EMPTY has no samples.
std::unique_ptr<SmoothModel> make_smooth(const std::string& config);

/// Registers these models under the name "smooth".
void register_smooth_models();

/// Returns the mean loss over all batches of all shards of a started model, plus the penalty, and writes its gradient.
/// All in doubles.
double objective(const SmoothModel& model, int num_shards, const Numbers& x, Numbers& gradient, double decay = 0);
/// Returns the initial values of the model's learned weights.
Numbers beginning(SmoothModel& model, std::uint64_t seed = 1);

}  // namespace troupe_test
