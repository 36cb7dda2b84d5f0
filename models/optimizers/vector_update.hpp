#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/optimizers/groups.hpp"
#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

/// Makes version v + 1 of a range of the flat vector from version v and the mean gradient: by the update rules that of
/// the parameters, group by group; by the model that of its statistics, which have no gradient. What a part became is
/// checked while it is in the cache.
class VectorUpdate {
 public:
  template <class T>
  using States = std::array<T, kMostStateVectors>;

  /// Where the range lies; it begins at `begin` of the flat vector.
  struct Place {
    std::size_t begin = 0;
    std::span<const float> weights = {};  ///< all of them
    std::span<float> new_weights = {};    ///< of the range, as all that follows
    States<std::span<const float>> state = {};
    States<std::span<float>> new_state = {};
  };

  /// @param updates by group, as UpdateRules::prepare has them. @param samples that the mean is of
  VectorUpdate(const Model& model, std::vector<UpdateFunction> updates, const GroupRuns& groups, std::int64_t samples,
               const Place& place)
      : model_(model), updates_(std::move(updates)), groups_(groups), samples_(samples), place_(place) {}

  /// Of the floats [begin, begin + mean.size()), which are all learned, or all statistics.
  void learn(std::size_t begin, std::span<const float> mean);
  void update_statistics(std::size_t begin, std::span<const float> mean);
  /// Statistics are what they are given.
  void take_statistics(std::size_t begin, std::span<const float> mean);

  /// Whether all that was written is.
  bool finite() const { return finite_; }

 private:
  void update(std::size_t group, std::size_t begin, std::span<const float> mean);
  /// Weights stay, and the optimizer's state of theirs is zero.
  void keep(std::size_t begin, std::size_t count);
  std::span<float> written(std::size_t begin, std::size_t count) const {
    return place_.new_weights.subspan(begin - place_.begin, count);
  }

  const Model& model_;
  std::vector<UpdateFunction> updates_;
  const GroupRuns& groups_;
  std::int64_t samples_;
  Place place_;
  bool finite_ = true;
};

}  // namespace troupe
