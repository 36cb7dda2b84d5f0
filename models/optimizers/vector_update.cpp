#include "models/optimizers/vector_update.hpp"

#include <algorithm>

namespace troupe {

void VectorUpdate::learn(std::size_t begin, std::span<const float> mean) {
  auto run = std::ranges::upper_bound(groups_, begin, {}, &GroupRun::end);
  while (!mean.empty()) {
    const std::size_t count = std::min(mean.size(), run->end - begin);
    update(run->group, begin, mean.first(count));
    begin += count;
    mean = mean.subspan(count);
    ++run;
  }
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
  const auto updated = written(begin, mean.size());
  model_.update_statistics(begin, mean, samples_, place_.weights.subspan(begin, mean.size()), updated);
  finite_ = finite_ && all_finite(updated);
}

void VectorUpdate::take_statistics(std::size_t begin, std::span<const float> mean) {
  const auto updated = written(begin, mean.size());
  std::ranges::copy(mean, updated.begin());
  finite_ = finite_ && all_finite(updated);
}

}  // namespace troupe
