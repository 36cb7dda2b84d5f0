#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/optimizers/update_rules.hpp"

namespace troupe_test {

using Floats = std::vector<float>;

/// The model, data and update rule of a run, small enough for a hundred thousand runs. Each gradient depends on every
/// weight, on the shard and on the step, so any mix-up changes the bits.
struct Toy {
  Toy(std::size_t its_size, int its_shards, troupe::OptimizerSettings its_options);

  std::size_t size;  ///< floats of the flat vector
  int shards;
  troupe::OptimizerSettings options;
  std::string json;  ///< the options in the form that workers receive
  troupe::UpdateRules optimizer;
};

/// @param which selects one of two sets of weights: the initial ones, or the ones that are set later
Floats toy_weights(std::size_t size, int which);
void toy_gradient(std::span<const float> weights, int shard, std::int64_t step, std::span<float> gradient);
/// Returns the sum over the shard's samples.
double toy_loss(std::span<const float> weights, int shard, std::int64_t step);
inline std::int64_t toy_samples(int shard) { return 3 + shard; }
std::int64_t toy_samples_of_all(int shards);
/// Returns the values in reverse. The canonical order is the reversed flat order.
Floats reversed(std::span<const float> values);

/// How a run reached its present state.
struct Path {
  int weights = 0;         ///< see toy_weights
  std::int64_t from = 0;   ///< the step at which these weights were set
  std::int64_t steps = 0;  ///< steps since then

  std::int64_t step() const { return from + steps; }
  auto operator<=>(const Path&) const = default;
};

/// The expected state, computed on this thread alone.
struct ToyState {
  std::vector<Floats> vectors;  ///< the weights and the optimizer's vectors
  double loss = 0;              ///< the loss that the next step reports
  double norm = 0;
};

/// Computes the states of undisturbed runs, starting from each set of weights. Computes each state once.
class Undisturbed {
 public:
  explicit Undisturbed(const Toy& toy) : toy_(toy) {}

  const Toy& toy() const { return toy_; }
  const ToyState& at(const Path& path);
  /// Returns the loss of an evaluation of this state.
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
