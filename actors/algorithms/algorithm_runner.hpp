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

/// Everything that an algorithm needs for a step. All members have joined. They are settled, or they work for this
/// algorithm. The state has a spare buffer.
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
  bool settles_by_fence;             ///< see Host::settles_by_fence
  std::uint64_t call;                ///< the number of the driver's call; all attempts of one call have the same number
  int backups;                       ///< the largest number of workers that may be left out of a step
  double learning_rate;              ///< the learning rate of this step, for tensors without a group
  std::vector<int> servers = {};     ///< member numbers of the parameter servers, if the algorithm has them
  /// Returns the learning rate of any step, for tensors without a group.
  std::function<double(std::int64_t step)> rate_at = {};
};

/// The vectors of an algorithm's state, including the weights.
struct StateDescription {
  StateShape shape = {};
  /// The names of the vectors that checkpoints store in addition to the weights. These vectors follow the weights in
  /// the state.
  std::vector<std::string> saved = {};
  /// If each shard takes steps of its own with `Options::optimizer`: the OptimizerSettings, as JSON, of the rule with
  /// which the owners of slices update the state. Otherwise empty.
  std::string outer = {};
};

/// Carries out calls of `step()` with one algorithm. Each algorithm has its own messages (`actors/messages`) and its
/// own handlers in the worker (`actors/worker`).
class AlgorithmRunner {
 public:
  AlgorithmRunner() = default;
  AlgorithmRunner(const AlgorithmRunner&) = delete;
  AlgorithmRunner& operator=(const AlgorithmRunner&) = delete;
  virtual ~AlgorithmRunner() = default;

  /// Makes a new version of the state. Commits the version, unless `rehearse` is set. If it throws, no step is
  /// committed.
  virtual StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) = 0;
  /// Returns the description of the state. By default, these are the weights and the optimizer's vectors.
  /// @param steps_per_epoch steps per epoch of the model; 0 if the number has no meaning or is not known yet
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
  /// Returns the number of steps that one call of `step` makes.
  virtual std::int64_t steps_a_call() const { return 1; }
  /// Returns whether the algorithm needs parameter servers.
  virtual bool has_servers() const { return false; }
  /// Returns whether members work for this algorithm between steps, or did so until they were lost. If so, `rest` must
  /// be called before members do other work.
  virtual bool under_way() const { return false; }
  /// Returns whether `rest` must also be called before the next step, because something failed.
  virtual bool must_rest() const { return false; }
  /// Brings all members to rest. Afterwards no request is outstanding, the computed gradients are applied, and all
  /// slices have the same version. This also holds if the function throws.
  virtual void rest(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// @throws Error the failure after the last step, if there is one that no call has reported yet
  virtual void tell_failure() {}
  /// Returns whether the committed version is complete on every node. It is not if each node holds only its parameter
  /// server's slice, or if the algorithm has yet to compute some vectors of the version.
  virtual bool whole() const { return true; }
  /// Completes the committed version on every node. Members must be at rest. If it throws, the version is not complete.
  virtual void make_whole(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// Ends the work of parameter servers without waiting for workers, because the run ends or forms again. The state is
  /// released afterwards.
  virtual void abandon(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// Forgets all work, because the run continues from another state, possibly with other members. Call it only while no
  /// request is outstanding.
  virtual void forget() {}
};

}  // namespace troupe
