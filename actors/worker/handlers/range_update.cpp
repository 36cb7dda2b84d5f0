#include "actors/worker/handlers/range_update.hpp"

#include <algorithm>

#include "collectives/plan/tree.hpp"
#include "models/dense.hpp"

namespace troupe {

VectorUpdate RangeUpdate::update_of(WorkerState& worker, const Replica& replica, const Apply& request,
                                    const Range& range) {
  VectorUpdate::Place place;
  place.begin = range.begin;
  place.weights = worker.slabs->weights(request.from);
  place.new_weights = worker.slabs->slice_of(kWeightsVector, request.to, range);
  for (int state = 0; state < worker.applied().state_vectors(); ++state) {
    const int vector = kWeightsVector + 1 + state;
    place.state[static_cast<std::size_t>(state)] = worker.slabs->slice_of(vector, request.from, range);
    place.new_state[static_cast<std::size_t>(state)] = worker.slabs->slice_of(vector, request.to, range);
  }
  return {*replica.model, worker.applied().prepare({from_bits(request.rate_bits), request.step, request.updates}),
          worker.outer ? worker.outer_groups : worker.groups, request.samples, place};
}

RangeUpdate::RangeUpdate(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range)
    : squares_(worker.outer ? &worker.squares : nullptr),
      learned_size_(replica.model->info().learned_size),
      clip_factor_(static_cast<float>(from_bits(request.clip_bits))),
      weights_(worker.slabs->weights(request.from)),
      update_(update_of(worker, replica, request, range)),
      clipped_(clip_factor_ == 1 && squares_ == nullptr ? 0 : kTreeChunk) {}

void RangeUpdate::operator()(std::size_t begin, std::span<const float> mean) {
  if (squares_ != nullptr) note_distance(begin, mean);
  const std::size_t learned = begin < learned_size_ ? std::min(mean.size(), learned_size_ - begin) : 0;
  if (learned > 0) update_.learn(begin, clipped(mean.first(learned)));
  if (learned == mean.size()) return;
  const auto statistics = mean.subspan(learned);
  // In local SGD, each shard has already updated the statistics in its copy, so their mean becomes the new statistics.
  squares_ != nullptr ? update_.take_statistics(begin + learned, statistics)
                      : update_.update_statistics(begin + learned, statistics);
}

std::span<const float> RangeUpdate::clipped(std::span<const float> mean) {
  if (clip_factor_ == 1) return mean;
  scale(clip_factor_, mean.data(), mean.size(), clipped_.data());
  return {clipped_.data(), mean.size()};
}

void RangeUpdate::note_distance(std::size_t begin, std::span<const float> mean) {
  subtract(mean.data(), weights_.data() + begin, mean.size(), clipped_.data());
  squares_->note(begin, {clipped_.data(), mean.size()});
}

}  // namespace troupe
