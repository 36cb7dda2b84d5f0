#pragma once

#include <cstddef>
#include <cstdint>

#include "models/optimizers/update_kernels.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

/// The update rule: element-wise arithmetic on floats in a fixed order, so that its bits depend neither on how a
/// vector is cut into chunks nor on the machine.
class Optimizer {
 public:
  static constexpr int kMaxStateVectors = troupe::kMaxStateVectors;

  /// @throws Error invalid_argument naming an option that cannot work.
  explicit Optimizer(const OptimizerOptions& options);

  /// Vectors of state as long as the weights, all zeros to begin with: 0 to kMaxStateVectors.
  int state_vectors() const { return rule_->state_vectors; }
  /// What vector `vector` of the state is, such as "momentum".
  const char* state_name(int vector) const { return rule_->state_names.at(static_cast<std::size_t>(vector)); }
  /// The rate at a step, counted from 0.
  double learning_rate(std::int64_t step) const;
  /// Corrections and rate of a step, counted from 0.
  /// @param updates that made the state so far: 0 where it is still all zeros.
  UpdateStep prepare(std::int64_t step, std::int64_t updates) const;

  /// Updates `count` floats: reads `gradient_mean`, `weights` and `state[i]`, writes `new_weights` and `new_state[i]`
  /// (i < state_vectors()). What is written overlaps nothing that is read. Returns whether all of it is finite.
  bool update(const UpdateStep& step, std::size_t count, const float* gradient_mean, const float* weights,
              float* new_weights, const float* const* state, float* const* new_state) const;

 private:
  OptimizerOptions options_;
  const UpdateRule* rule_;
};

}  // namespace troupe
