#include "actors/worker/range_update.hpp"

#include <algorithm>

#include "collectives/plan/tree.hpp"
#include "models/dense.hpp"

namespace troupe {

RangeUpdate::RangeUpdate(WorkerState& worker, const Replica& replica, const Apply& request, const Range& range)
    : model_(*replica.model),
      squares_(worker.outer ? &worker.squares : nullptr),
      learned_size_(replica.model->info().learned_size),
      samples_(request.samples),
      clip_factor_(static_cast<float>(from_bits(request.clip_bits))),
      updates_(worker.applied().prepare({from_bits(request.rate_bits), request.step, request.updates})),
      groups_(worker.outer ? worker.outer_groups : worker.groups),
      weights_(worker.slabs->weights(request.from)),
      begin_(range.begin),
      new_weights_(worker.slabs->slice_of(kWeightsVector, request.to, range)),
      clipped_(clip_factor_ == 1 && squares_ == nullptr ? 0 : kTreeChunk) {
  for (int state = 0; state < worker.applied().state_vectors(); ++state) {
    const int vector = kWeightsVector + 1 + state;
    state_[static_cast<std::size_t>(state)] = worker.slabs->slice_of(vector, request.from, range);
    new_state_[static_cast<std::size_t>(state)] = worker.slabs->slice_of(vector, request.to, range);
  }
}

void RangeUpdate::operator()(std::size_t begin, std::span<const float> mean) {
  if (squares_ != nullptr) note_distance(begin, mean);
  const std::size_t learned = begin < learned_size_ ? std::min(mean.size(), learned_size_ - begin) : 0;
  if (learned > 0) learn(begin, clipped(mean.first(learned)));
  if (learned < mean.size()) update_statistics(begin + learned, mean.subspan(learned));
}

std::span<const float> RangeUpdate::clipped(std::span<const float> mean) {
  if (clip_factor_ == 1) return mean;
  scale(clip_factor_, mean.data(), mean.size(), clipped_.data());
  return {clipped_.data(), mean.size()};
}

void RangeUpdate::learn(std::size_t begin, std::span<const float> mean) {
  auto run = std::ranges::upper_bound(groups_, begin, {}, &GroupRun::end);
  while (!mean.empty()) {
    const std::size_t count = std::min(mean.size(), run->end - begin);
    update(run->group, begin, mean.first(count));
    begin += count;
    mean = mean.subspan(count);
    ++run;
  }
}

void RangeUpdate::update(std::size_t group, std::size_t begin, std::span<const float> mean) {
  const std::size_t at = begin - begin_;
  States<const float*> from{};
  States<float*> to{};
  for (std::size_t vector = 0; vector < from.size() && !state_[vector].empty(); ++vector) {
    from[vector] = state_[vector].data() + at;
    to[vector] = new_state_[vector].data() + at;
  }
  const bool finite = updates_[group](
      {mean.size(), mean.data(), weights_.data() + begin, new_weights_.data() + at, from.data(), to.data()});
  finite_ = finite_ && finite;
}

void RangeUpdate::note_distance(std::size_t begin, std::span<const float> mean) {
  subtract(mean.data(), weights_.data() + begin, mean.size(), clipped_.data());
  squares_->note(begin, {clipped_.data(), mean.size()});
}

void RangeUpdate::update_statistics(std::size_t begin, std::span<const float> mean) {
  const auto updated = new_weights_.subspan(begin - begin_, mean.size());
  if (squares_ != nullptr)
    std::ranges::copy(mean, updated.begin());  // copies have learned them themselves
  else
    model_.update_statistics(begin, mean, samples_, weights_.subspan(begin, mean.size()), updated);
  finite_ = finite_ && all_finite(updated);
}

}  // namespace troupe
