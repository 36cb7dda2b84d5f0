#pragma once

#include <cstdint>
#include <span>

#include "actors/messages/synchronous.hpp"
#include "actors/worker/worker_state.hpp"
#include "models/aligned.hpp"
#include "models/optimizers/vector_update.hpp"

namespace troupe {

/// Updates a range of a replica's slice, chunk by chunk, with `VectorUpdate`. Clips the gradient first, if
/// `Apply::clip_bits` is not 1. In local SGD, receives the mean of the shards' copies instead of a gradient, and
/// measures its distance from the weights.
class RangeUpdate {
 public:
  /// @param range a part of the replica's slice
  RangeUpdate(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);

  /// Updates one chunk, of at most kTreeChunk floats, that starts at the float `begin` of the flat vector.
  void operator()(std::size_t begin, std::span<const float> mean);

  /// Returns whether all written values are finite.
  bool finite() const { return update_.finite(); }

 private:
  static VectorUpdate update_of(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);
  /// Returns the clipped mean gradient. The result is valid until the next call.
  std::span<const float> clipped(std::span<const float> mean);
  void note_distance(std::size_t begin, std::span<const float> mean);

  PageSquares* squares_;  ///< in local SGD: sums of squares of the distance from the weights; else null
  std::size_t learned_size_;
  float clip_factor_;
  std::span<const float> weights_;  ///< the whole vector
  VectorUpdate update_;
  AlignedFloats clipped_;  ///< memory for a chunk; empty if no chunk is clipped or measured
};

}  // namespace troupe
