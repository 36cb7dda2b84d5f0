#pragma once

#include <cstdint>
#include <span>

#include "actors/messages/synchronous.hpp"
#include "actors/worker/worker_state.hpp"
#include "models/aligned.hpp"
#include "models/optimizers/vector_update.hpp"

namespace troupe {

/// A `VectorUpdate` of a range of a replica's slice, a chunk of at most kTreeChunk floats a call, with what steps of a
/// run do beside it: the gradient is clipped, and of copies it is noted how far their mean is from the weights.
class RangeUpdate {
 public:
  /// @param range of the replica's slice
  RangeUpdate(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);

  void operator()(std::size_t begin, std::span<const float> mean);

  /// Whether all that was written is.
  bool finite() const { return update_.finite(); }

 private:
  static VectorUpdate update_of(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);
  /// The mean gradient as it is to be learned from, until the next call.
  std::span<const float> clipped(std::span<const float> mean);
  void note_distance(std::size_t begin, std::span<const float> mean);

  PageSquares* squares_;  ///< where what is applied is a mean of copies: of how far that is from the weights
  std::size_t learned_size_;
  float clip_factor_;
  std::span<const float> weights_;  ///< all of them
  VectorUpdate update_;
  AlignedFloats clipped_;  ///< a chunk, where something is clipped, or distances are noted
};

}  // namespace troupe
