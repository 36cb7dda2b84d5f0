#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/optimizers/groups.hpp"
#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

/// Makes version v + 1 of a range of the flat vector from version v and the mean gradient. Update rules change the
/// parameters, group by group; the model updates its statistics, which have no gradient. Each part is checked for
/// finiteness while it is in the cache.
class VectorUpdate {
 public:
  template <class T>
  using States = std::array<T, kMostStateVectors>;

  /// The memory of the range, which begins at float `begin` of the flat vector.
  struct Place {
    std::size_t begin = 0;
    std::span<const float> weights = {};  ///< the whole vector
    std::span<float> new_weights = {};    ///< the range only, like the members below
    States<std::span<const float>> state = {};
    States<std::span<float>> new_state = {};
  };

  /// @param updates one per group, as returned by UpdateRules::prepare
  /// @param samples the number of samples of the mean
  VectorUpdate(const Model& model, std::vector<UpdateFunction> updates, const GroupRuns& groups, std::int64_t samples,
               const Place& place)
      : model_(model), updates_(std::move(updates)), groups_(groups), samples_(samples), place_(place) {}

  /// Updates the floats [begin, begin + mean.size()), which must be all learned or all statistics.
  void learn(std::size_t begin, std::span<const float> mean);
  void update_statistics(std::size_t begin, std::span<const float> mean);
  /// Sets the statistics to the given values.
  void take_statistics(std::size_t begin, std::span<const float> mean);

  /// Returns true if all written values are finite.
  bool finite() const { return finite_; }

 private:
  void update(std::size_t group, std::size_t begin, std::span<const float> mean);
  /// Keeps the weights and sets their optimizer state to zero.
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
