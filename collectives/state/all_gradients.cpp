#include "collectives/state/all_gradients.hpp"

#include "runtime/store/checked_part.hpp"

namespace troupe {

void AllGradients::map(const std::vector<std::vector<std::uint64_t>>& made_for, std::chrono::milliseconds timeout) {
  gradients_ = map(GradientOf::worker, made_for.at(0), timeout);
  if (layout_.backups) backups_ = map(GradientOf::backup, made_for.at(1), timeout);
}

Gradients AllGradients::map(GradientOf whose, const std::vector<std::uint64_t>& made_for,
                            std::chrono::milliseconds timeout) {
  Gradients gradients(made_for.size());
  for (std::size_t shard = layout_.shards.begin; shard < layout_.shards.end; ++shard) {
    maps_.push_back(held_.get(layout_.gradient_id(whose, shard, made_for.at(shard)), timeout));
    gradients[shard] = checked_first(maps_.back()->floats(), layout_.size);
  }
  return gradients;
}

}  // namespace troupe
