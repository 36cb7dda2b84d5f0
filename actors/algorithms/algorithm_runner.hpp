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

/// Everything that an algorithm needs for a step. When a step receives a context, all members have joined the run. The
/// members are settled, or they already work for this algorithm. The state has a spare buffer, into which the step can
/// write.
struct StepContext {
  const Options& options;
  const Members& members;
  Rounds& rounds;
  Versions& versions;
  const ModelDescription& model;
  const UpdateRules& optimizer;
  const Plan& plan;
  const std::vector<int>& appliers;  ///< the workers that reduce gradients and apply updates
  const DriverGradients* gradients;  ///< not null if the driver, not the workers, adds the gradients
  bool settles_by_fence;             ///< see Host::settles_by_fence
  std::uint64_t call;                ///< the number of the driver's call; all attempts of one call have the same number
  int backups;                       ///< the largest number of workers that may be left out of a step
  double learning_rate;              ///< the learning rate of this step for tensors outside all groups
  std::vector<int> servers = {};     ///< member numbers of the parameter servers, if the algorithm has them
  /// Returns the learning rate of the step with the number `step`, for tensors that belong to no group of tensors.
  std::function<double(std::int64_t step)> rate_at = {};
};

/// Describes the vectors that an algorithm keeps as its state, including the weights.
struct StateDescription {
  StateShape shape = {};
  /// The names of the vectors that checkpoints store in addition to the weights. These vectors follow the weights in
  /// the state.
  std::vector<std::string> saved = {};
  /// The settings (OptimizerSettings, as JSON) of the outer rule, with which the owners of slices update the shared
  /// weights. Set only by local SGD, where each shard updates its own copy of the weights with `Options::optimizer`.
  /// Empty for other algorithms.
  std::string outer = {};
};

/// Base class of all training algorithms. A runner carries out the calls of `DistributedSGD::step` with one algorithm.
/// Each algorithm has its own messages (`actors/messages`) and its own handlers in the worker (`actors/worker`).
class AlgorithmRunner {
 public:
  AlgorithmRunner() = default;
  AlgorithmRunner(const AlgorithmRunner&) = delete;
  AlgorithmRunner& operator=(const AlgorithmRunner&) = delete;
  virtual ~AlgorithmRunner() = default;

  /// Makes a step: computes a new version of the state, and commits the version unless `rehearse` is true. If `step`
  /// throws, no step is committed.
  virtual StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) = 0;
  /// Returns the description of the state that this algorithm needs. The default implementation describes the weights
  /// and the vectors of `optimizer`.
  /// @param steps_per_epoch the number of steps per epoch of the model; 0 if the data has no epochs, or if the number
  /// is not known yet
  virtual StateDescription state(const UpdateRules& optimizer, int /*num_shards*/,
                                 std::int64_t /*steps_per_epoch*/) const {
    StateDescription state;
    for (int vector = 0; vector < optimizer.state_vectors(); ++vector)
      state.saved.push_back(optimizer.state_name(vector));
    state.shape.vectors = 1 + optimizer.state_vectors();
    return state;
  }
  /// Checks that this algorithm can train the model.
  /// @throws Error unsupported if it cannot
  virtual void check(const ModelDescription& /*model*/) const {}
  /// Returns the number of steps that one call of `step` makes.
  virtual std::int64_t steps_a_call() const { return 1; }
  /// Returns whether the algorithm needs parameter servers.
  virtual bool has_servers() const { return false; }
  /// Returns the number of pushes that parameter servers have applied since the algorithm was created.
  virtual std::int64_t pushes() const { return 0; }
  /// Returns whether members currently work for this algorithm between calls of `step`, or did so until they were lost.
  /// If it returns true, `rest` must be called before the members do any other work.
  virtual bool under_way() const { return false; }
  /// Returns whether `rest` must be called before the next call of `step`, because an exchange between members failed.
  virtual bool must_rest() const { return false; }
  /// Brings all members to rest. Afterwards all requests are answered, the computed gradients are applied, and all
  /// slices of the state have the same version. This is also true if `rest` throws.
  virtual void rest(const StepContext& /*context*/) {}
  /// Reports a failure of work that follows a committed step, if no call has reported it yet.
  /// @throws Error the failure
  virtual void tell_failure() {}
  /// Returns whether the committed version of the state is complete on every node. The version is incomplete if each
  /// node holds only its parameter server's slice, or if some vectors of the version are not computed yet.
  virtual bool whole() const { return true; }
  /// Completes the committed version of the state on every node; see `whole`. Members must be at rest. If `make_whole`
  /// throws, the version remains incomplete.
  virtual void make_whole(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// Ends the work of parameter servers without waiting for workers. The driver calls `abandon` when the run ends, or
  /// before the run is formed again from the nodes that then join. Afterwards the driver releases the state.
  virtual void abandon(const StepContext& /*context*/) {}
  /// Forgets all unfinished work, because the run continues from another state, possibly with other members. Call
  /// `forget` only while no request is outstanding.
  virtual void forget() {}
};

}  // namespace troupe
