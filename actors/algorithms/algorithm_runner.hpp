#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "actors/rounds/rounds.hpp"
#include "collectives/plan/plan.hpp"
#include "collectives/state/driver_gradients.hpp"
#include "collectives/state/versions.hpp"
#include "models/optimizers/update_rules.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Everything an algorithm needs for a step. All members have joined. They are settled, or busy with this algorithm.
/// The state has a spare buffer.
struct StepContext {
  const Options& options;
  const Members& members;
  Rounds& rounds;
  Versions& versions;
  const ModelDescription& model;
  const UpdateRules& optimizer;
  const Plan& plan;
  const std::vector<int>& appliers;  ///< workers that take part in reducing and applying
  const DriverGradients* gradients;  ///< not null if the driver adds the gradients
  bool settles_by_fence;             ///< see Host
  std::uint64_t call;                ///< number of the driver's call; all attempts of a call have the same number
  int backups;                       ///< most workers that may be left out of a step
  double learning_rate;              ///< of this step, for tensors in no group
  std::vector<int> servers = {};     ///< member numbers of the parameter servers, if the algorithm has them
  std::function<double(std::int64_t step)> rate_at = {};  ///< the learning rate of any step, for tensors in no group
};

/// The vectors of an algorithm's state, including the weights.
struct StateDescription {
  StateShape shape = {};
  /// The names of the vectors that checkpoints store in addition to the weights: the first ones after the weights.
  std::vector<std::string> saved = {};
  /// OptimizerSettings of the rule for slices, as JSON, if `Options::optimizer` is for the shards' own steps.
  std::string outer = {};
};

/// Carries out calls of `step()`. An algorithm has its own messages (`actors/messages`) and its own handlers in the
/// worker (`actors/worker`).
class AlgorithmRunner {
 public:
  AlgorithmRunner() = default;
  AlgorithmRunner(const AlgorithmRunner&) = delete;
  AlgorithmRunner& operator=(const AlgorithmRunner&) = delete;
  virtual ~AlgorithmRunner() = default;

  /// Makes a new version of the state and commits it, unless `rehearse` is set. If it throws, the state is unchanged.
  virtual StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) = 0;
  /// Describes the state: by default, the weights and the optimizer's vectors.
  /// @param steps_per_epoch steps per epoch of the model; 0 if it has no meaning or is not known yet
  virtual StateDescription state(const UpdateRules& optimizer, int /*num_shards*/,
                                 std::int64_t /*steps_per_epoch*/) const {
    StateDescription state;
    for (int vector = 0; vector < optimizer.state_vectors(); ++vector)
      state.saved.push_back(optimizer.state_name(vector));
    state.shape.vectors = 1 + optimizer.state_vectors();
    return state;
  }
  /// @throws Error unsupported if the algorithm cannot train the model
  virtual void check(const ModelDescription& /*model*/) const {}
  /// The number of steps that one call makes.
  virtual std::int64_t steps_a_call() const { return 1; }
  /// Whether the algorithm needs parameter servers.
  virtual bool has_servers() const { return false; }
  /// Whether members work for this algorithm between steps, or did so until they were lost. Then `rest` must be called
  /// before other work.
  virtual bool under_way() const { return false; }
  /// Whether members must come to rest before the next step as well, because something failed.
  virtual bool must_rest() const { return false; }
  /// Brings all members to rest: computed gradients are applied, and the state is one version. This also holds if it
  /// throws.
  virtual void rest(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// @throws Error the failure since the last step that no call has reported yet, if there is one
  virtual void tell_failure() {}
  /// Whether every node holds the complete committed version, not only its parameter server's slice.
  virtual bool whole() const { return true; }
  /// Completes the committed version on every node, at rest. If it throws, the version is not complete.
  virtual void make_whole(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// Comes to rest at the end of the run without waiting for workers. The state is released afterwards.
  virtual void abandon(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// Forgets all work, because the run continues from another state, possibly with other members. Nothing is in
  /// progress.
  virtual void forget() {}
};

}  // namespace troupe
