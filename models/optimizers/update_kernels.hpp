#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace troupe {

/// What an update rule needs to know of one step, computed once for all chunks.
struct UpdateStep {
  float learning_rate = 0;  ///< adam: divided by 1 - beta1^(step + 1)
  float momentum = 0;
  float weight_decay = 0;
  float beta1 = 0;
  float beta2 = 0;
  float one_minus_beta1 = 1;
  float one_minus_beta2 = 1;
  float root_correction2 = 1;  ///< adam: sqrt(1 - beta2^(step + 1))
  float epsilon = 0;
};

/// Updates `count` floats, see Optimizer::update. Rounds every operation to float, in the order written. Returns the
/// largest of the magnitude_bits of all that it wrote.
using UpdateKernel = std::uint32_t (*)(const UpdateStep& step, std::size_t count, const float* gradient,
                                       const float* weights, float* new_weights, const float* const* state,
                                       float* const* new_state);

inline constexpr int kMaxStateVectors = 2;

struct UpdateRule {
  UpdateKernel kernel;
  int state_vectors;
  std::array<const char*, kMaxStateVectors> state_names;
};

extern const UpdateRule kPlainSgd;
extern const UpdateRule kMomentumSgd;
extern const UpdateRule kNesterovSgd;
extern const UpdateRule kAdagrad;
extern const UpdateRule kAdam;

}  // namespace troupe
