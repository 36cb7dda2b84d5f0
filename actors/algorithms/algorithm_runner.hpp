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

/// What an algorithm makes a step of. Members are there and settled, or busy with it, and the state has a spare buffer.
struct StepContext {
  const Options& options;
  const Members& members;
  Rounds& rounds;
  Versions& versions;
  const ModelDescription& model;
  const UpdateRules& optimizer;
  const Plan& plan;
  const std::vector<int>& appliers;  ///< workers that have a part in reducing and applying
  const DriverGradients* gradients;  ///< where the driver adds them
  bool settles_by_fence;             ///< see Host
  std::uint64_t call;                ///< number of the driver's call that this is an attempt of
  int backups;                       ///< workers that may be left out of a step at most
  double learning_rate;              ///< of the step, of tensors in no group
  std::vector<int> servers = {};     ///< parameter servers, as members, where the algorithm has them
  std::function<double(std::int64_t step)> rate_at = {};  ///< the learning rate of any step, likewise
};

/// The vectors of an algorithm's state, with the weights.
struct StateDescription {
  StateShape shape = {};
  /// Names of those that checkpoints hold beside the weights, the first ones behind these.
  std::vector<std::string> saved = {};
  /// OptimizerSettings of the rule of slices, as JSON, where `Options::optimizer` is that of shards' own steps.
  std::string outer = {};
};

/// What a call of `step()` does with members, rounds and state. It has messages of its own (`actors/messages`) and a
/// part of its own in the worker (`actors/worker`).
class AlgorithmRunner {
 public:
  AlgorithmRunner() = default;
  AlgorithmRunner(const AlgorithmRunner&) = delete;
  AlgorithmRunner& operator=(const AlgorithmRunner&) = delete;
  virtual ~AlgorithmRunner() = default;

  /// Makes a new version of the state and commits it, unless it is only rehearsed; or throws, and nothing has changed.
  virtual StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) = 0;
  /// The optimizer's vectors, unless it has others.
  /// @param steps_per_epoch of the model; 0 where that means nothing, or it is not known yet
  virtual StateDescription state(const UpdateRules& optimizer, int /*num_shards*/,
                                 std::int64_t /*steps_per_epoch*/) const {
    StateDescription state;
    for (int vector = 0; vector < optimizer.state_vectors(); ++vector)
      state.saved.push_back(optimizer.state_name(vector));
    state.shape.vectors = 1 + optimizer.state_vectors();
    return state;
  }
  /// @throws Error unsupported for a model that it cannot learn
  virtual void check(const ModelDescription& /*model*/) const {}
  /// Steps that a call makes.
  virtual std::int64_t steps_a_call() const { return 1; }
  /// Whether it needs parameter servers.
  virtual bool has_servers() const { return false; }
  /// Whether members are busy with it though no step is being made, or were until they were lost: it has to `rest`.
  virtual bool under_way() const { return false; }
  /// Whether they have to come to rest before the next step, too, since something failed.
  virtual bool must_rest() const { return false; }
  /// Ends that: what has been computed is applied, and the state is one version. When it throws, too.
  virtual void rest(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// @throws Error what has gone wrong since its last step was made, which no call has told yet
  virtual void tell_failure() {}
  /// Whether every node holds the whole committed version, and not only its parameter server's slice of it.
  virtual bool whole() const { return true; }
  /// Brings the slices together, at rest. When it throws, they are not.
  virtual void make_whole(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// Rests at the end of the run, without waiting for workers. The state is gone after that.
  virtual void abandon(const StepContext& /*context*/, const Deadline& /*deadline*/) {}
  /// The run goes on from another state than the one it had, perhaps with other members: nothing is under way.
  virtual void forget() {}
};

}  // namespace troupe
