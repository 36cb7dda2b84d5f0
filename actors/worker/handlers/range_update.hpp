#pragma once

#include <cstdint>
#include <span>

#include "actors/messages/synchronous.hpp"
#include "actors/worker/worker_state.hpp"
#include "models/aligned.hpp"
#include "models/optimizers/vector_update.hpp"

namespace troupe {

/// Updates a range of a replica's slice with the mean gradient, chunk by chunk, with `VectorUpdate`. If the factor
/// `Apply::clip_bits` is not 1, first multiplies the gradient by it. In local SGD, uses the mean of the shards' copies
/// in place of the gradient, and measures the distance between this mean and the old weights.
class RangeUpdate {
 public:
  /// @param range the range to update, a part of the replica's slice
  RangeUpdate(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);

  /// Updates one chunk with the mean gradient `mean`. The chunk has at most kTreeChunk floats, and starts at the float
  /// `begin` of the flat vector.
  void operator()(std::size_t begin, std::span<const float> mean);

  /// Returns whether all values that were written so far are finite.
  bool finite() const { return update_.finite(); }

 private:
  static VectorUpdate update_of(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);
  /// Returns `mean` multiplied by the clip factor. The result is valid until the next call.
  std::span<const float> clipped(std::span<const float> mean);
  void note_distance(std::size_t begin, std::span<const float> mean);

  /// In local SGD: the sums of squares of the distance between the mean of the copies and the old weights. Otherwise
  /// null.
  PageSquares* squares_;
  std::size_t learned_size_;
  float clip_factor_;
  std::span<const float> weights_;  ///< the whole vector of weights that is read
  VectorUpdate update_;
  AlignedFloats clipped_;  ///< memory for one chunk; empty if gradients are not clipped and no distance is measured
};

}  // namespace troupe
