#include "models/optimizers/vector_update.hpp"

#include <algorithm>

namespace troupe {

void VectorUpdate::learn(std::size_t begin, std::span<const float> mean) {
  for_each_run(groups_, begin, begin + mean.size(), [&](std::size_t first, std::size_t end, const GroupRun& run) {
    if (run.frozen)
      keep(first, end - first);
    else
      update(run.group, first, mean.subspan(first - begin, end - first));
  });
}

void VectorUpdate::keep(std::size_t begin, std::size_t count) {
  const auto updated = written(begin, count);
  std::ranges::copy(place_.weights.subspan(begin, count), updated.begin());
  for (const std::span<float> state : place_.new_state)
    if (!state.empty()) std::ranges::fill(state.subspan(begin - place_.begin, count), 0.0F);
  finite_ = finite_ && all_finite(updated);
}

void VectorUpdate::update(std::size_t group, std::size_t begin, std::span<const float> mean) {
  const std::size_t at = begin - place_.begin;
  States<const float*> from{};
  States<float*> to{};
  for (std::size_t vector = 0; vector < from.size() && !place_.state[vector].empty(); ++vector) {
    from[vector] = place_.state[vector].data() + at;
    to[vector] = place_.new_state[vector].data() + at;
  }
  const bool finite = updates_[group]({mean.size(), mean.data(), place_.weights.data() + begin,
                                       place_.new_weights.data() + at, from.data(), to.data()});
  finite_ = finite_ && finite;
}

void VectorUpdate::update_statistics(std::size_t begin, std::span<const float> mean) {
  for_each_run(groups_, begin, begin + mean.size(), [&](std::size_t first, std::size_t end, const GroupRun& run) {
    const std::size_t count = end - first;
    if (run.frozen) return keep(first, count);
    const auto updated = written(first, count);
    model_.update_statistics(first, mean.subspan(first - begin, count), samples_, place_.weights.subspan(first, count),
                             updated);
    finite_ = finite_ && all_finite(updated);
  });
}

void VectorUpdate::take_statistics(std::size_t begin, std::span<const float> mean) {
  for_each_run(groups_, begin, begin + mean.size(), [&](std::size_t first, std::size_t end, const GroupRun& run) {
    if (run.frozen) return keep(first, end - first);
    const auto updated = written(first, end - first);
    std::ranges::copy(mean.subspan(first - begin, end - first), updated.begin());
    finite_ = finite_ && all_finite(updated);
  });
}

}  // namespace troupe
