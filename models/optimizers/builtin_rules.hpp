#pragma once

#include <algorithm>
#include <limits>

#include "troupe/optimizer.hpp"

// The rules that come with Troupe, a file each.
//
// Their loops round every operation to float, in the order written. Stores are plain: writing past the caches (movntps,
// 16 or 64 bytes) took 5 to 10 % longer for 178 MB vectors on two cores. What is written is looked at in registers
// (`magnitude_bits`), which adds 2 % to a chunk whose gradients are in the cache; a pass of its own over the chunk adds
// 7 to 11 %.
namespace troupe {

UpdateRule make_sgd(const OptimizerOptions& options);
UpdateRule make_adagrad(const OptimizerOptions& options);
UpdateRule make_adam(const OptimizerOptions& options);
UpdateRule make_adamw(const OptimizerOptions& options);

/// @throws Error invalid_argument where options ask for a momentum that the rule has not.
void refuse_momentum(const OptimizerOptions& options);

/// Zero by zero, as padding has it, is to stay zero.
inline float positive_epsilon(const OptimizerOptions& options) {
  return std::max(static_cast<float>(options.epsilon), std::numeric_limits<float>::min());
}

}  // namespace troupe
