#pragma once

#include <cstdint>
#include <span>

#include "actors/messages/synchronous.hpp"
#include "actors/worker/worker_state.hpp"
#include "models/aligned.hpp"
#include "models/optimizers/vector_update.hpp"

namespace troupe {

/// A `VectorUpdate` of a range of a replica's slice, called with chunks of at most kTreeChunk floats. Also clips the
/// gradient. For copies of local SGD, also measures the distance of their mean from the weights.
class RangeUpdate {
 public:
  /// @param range a part of the replica's slice
  RangeUpdate(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);

  void operator()(std::size_t begin, std::span<const float> mean);

  /// Whether all written values are finite.
  bool finite() const { return update_.finite(); }

 private:
  static VectorUpdate update_of(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);
  /// Returns the clipped mean gradient. The result is valid until the next call.
  std::span<const float> clipped(std::span<const float> mean);
  void note_distance(std::size_t begin, std::span<const float> mean);

  PageSquares* squares_;  ///< for a mean of copies: squares of its distance from the weights; else null
  std::size_t learned_size_;
  float clip_factor_;
  std::span<const float> weights_;  ///< the whole vector
  VectorUpdate update_;
  AlignedFloats clipped_;  ///< a chunk; empty if there is no clipping and no distance is measured
};

}  // namespace troupe
