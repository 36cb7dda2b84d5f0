#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// What a model says of itself, asked once on its own thread; the replicas of a run agree on it.
struct ModelDescription {
  std::size_t size = 0;
  std::string fingerprint;
  std::int64_t num_samples = 0;
  std::int64_t steps_per_epoch = 0;
  std::vector<TensorInfo> tensors;
};

}  // namespace troupe
