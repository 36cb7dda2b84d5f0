#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/optimizers/groups.hpp"
#include "troupe/model.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {

/// Computes new values for a range of the flat vector and of the optimizer state, from the current values and the mean
/// gradient. Learned parameters are updated by the update rules of their groups, and statistics by the model. All new
/// values are checked for NaN and infinity while they are in the cache.
class VectorUpdate {
 public:
  template <class T>
  using States = std::array<T, kMostStateVectors>;

  /// The memory of the range that is updated.
  struct Place {
    std::size_t begin = 0;                ///< first float of the range in the flat vector
    std::span<const float> weights = {};  ///< the whole flat vector
    std::span<float> new_weights = {};    ///< only the range, like the spans in the members below
    States<std::span<const float>> state = {};
    States<std::span<float>> new_state = {};
  };

  /// Makes an update of the range `place`.
  /// @param updates one for each group, as returned by UpdateRules::prepare
  /// @param samples the number of samples over which mean gradients are computed
  VectorUpdate(const Model& model, std::vector<UpdateFunction> updates, const GroupRuns& groups, std::int64_t samples,
               const Place& place)
      : model_(model), updates_(std::move(updates)), groups_(groups), samples_(samples), place_(place) {}

  /// Updates the learned floats [begin, begin + mean.size()) of the flat vector by the update rules of their groups.
  /// @param mean the mean gradient of these floats
  void learn(std::size_t begin, std::span<const float> mean);
  /// Updates the statistics [begin, begin + mean.size()) of the flat vector by Model::update_statistics.
  void update_statistics(std::size_t begin, std::span<const float> mean);
  /// Sets the new values of the statistics [begin, begin + mean.size()) of the flat vector to `mean`, without a call of
  /// the model.
  void take_statistics(std::size_t begin, std::span<const float> mean);

  /// Returns true if all values that were written so far are finite.
  bool finite() const { return finite_; }

 private:
  void update(std::size_t group, std::size_t begin, std::span<const float> mean);
  /// Copies the weights of a frozen range unchanged to the new weights, and sets their new optimizer state to zero.
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
