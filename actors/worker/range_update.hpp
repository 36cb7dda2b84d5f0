#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "actors/messages/synchronous.hpp"
#include "actors/worker/worker_state.hpp"
#include "models/aligned.hpp"

namespace troupe {

/// Makes version v + 1 of a range of the flat vector from version v and the mean gradient, a chunk of at most
/// kTreeChunk floats a call: the optimizer that of the parameters, group by group, the model that of its statistics,
/// which have no gradient. What a chunk became is checked while it is in the cache.
class RangeUpdate {
 public:
  /// @param range of the replica's slice
  RangeUpdate(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range);

  void operator()(std::size_t begin, std::span<const float> mean);

  /// Whether all that was written is.
  bool finite() const { return finite_; }

 private:
  template <class T>
  using States = std::array<T, kMostStateVectors>;

  void learn(std::size_t begin, std::span<const float> mean);
  /// The mean gradient as it is to be learned from, until the next call.
  std::span<const float> clipped(std::span<const float> mean);
  void update(std::size_t group, std::size_t begin, std::span<const float> mean);
  void update_statistics(std::size_t begin, std::span<const float> mean);
  void note_distance(std::size_t begin, std::span<const float> mean);

  const Model& model_;
  PageSquares* squares_;  ///< where what is applied is a mean of copies: of how far that is from the weights
  std::size_t learned_size_;
  std::int64_t samples_;
  float clip_factor_;
  std::vector<UpdateFunction> updates_;  ///< by group
  const GroupRuns& groups_;
  std::span<const float> weights_;  ///< all of them
  std::size_t begin_;               ///< of the range, which is what the next hold
  std::span<float> new_weights_;
  States<std::span<const float>> state_;
  States<std::span<float>> new_state_;
  bool finite_ = true;
  AlignedFloats clipped_;  ///< a chunk, where something is clipped, or distances are noted
};

}  // namespace troupe
