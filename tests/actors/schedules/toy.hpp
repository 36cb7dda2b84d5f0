#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/optimizers/update_rules.hpp"

namespace troupe_test {

using Floats = std::vector<float>;

/// A run's model, data and update rule, small enough for a hundred thousand runs. Each gradient depends on every
/// weight, on the shard and on the step, so whatever is mixed up shows in the bits.
struct Toy {
  Toy(std::size_t its_size, int its_shards, troupe::OptimizerSettings its_options);

  std::size_t size;  ///< floats of the flat vector
  int shards;
  troupe::OptimizerSettings options;
  std::string json;  ///< of the options, as workers are told them
  troupe::UpdateRules optimizer;
};

/// @param which of two models' weights: those that a run begins with, or those that are set later
Floats toy_weights(std::size_t size, int which);
void toy_gradient(std::span<const float> weights, int shard, std::int64_t step, std::span<float> gradient);
/// Summed over the shard's samples.
double toy_loss(std::span<const float> weights, int shard, std::int64_t step);
inline std::int64_t toy_samples(int shard) { return 3 + shard; }
std::int64_t toy_samples_of_all(int shards);
/// The canonical order is the flat one from behind.
Floats reversed(std::span<const float> values);

/// How a run came to where it stands.
struct Path {
  int weights = 0;         ///< see toy_weights
  std::int64_t from = 0;   ///< the step at which it had them
  std::int64_t steps = 0;  ///< since then

  std::int64_t step() const { return from + steps; }
  auto operator<=>(const Path&) const = default;
};

/// What is to be at a place, computed by nobody but this thread, in one piece.
struct ToyState {
  std::vector<Floats> vectors;  ///< weights, and the optimizer's
  double loss = 0;              ///< that the next step reports
  double norm = 0;
};

/// The undisturbed run: one straight line of states from each beginning. Computes each state once.
class Undisturbed {
 public:
  explicit Undisturbed(const Toy& toy) : toy_(toy) {}

  const Toy& toy() const { return toy_; }
  const ToyState& at(const Path& path);
  /// What a test set says there.
  double evaluation_loss(const Path& path);

 private:
  ToyState begin(int weights) const;
  ToyState next(const ToyState& before, const Path& path) const;
  void look_ahead(ToyState& state, std::int64_t step) const;
  std::vector<Floats> gradients(const ToyState& state, std::int64_t step) const;

  const Toy& toy_;
  std::map<Path, ToyState> states_;
};

}  // namespace troupe_test
