#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "actors/driver/algorithm_in_use.hpp"
#include "actors/driver/forming/formed_run.hpp"
#include "actors/driver/forming/precision_decision.hpp"
#include "actors/messages/model_description.hpp"
#include "collectives/state/versions.hpp"

namespace troupe {

/// Makes the members of a run ready to work: replaces lost workers, builds the replicas that the algorithm needs, and
/// begins a generation with its parameter servers. The description of the model is kept when the run ends. If the run
/// is formed again, its replicas must match this description.
class Preparation {
 public:
  /// Writes a version of the state into a buffer of the first generation, and returns the version. Returns none if the
  /// run starts with newly initialized weights.
  using Restore = std::function<std::optional<Version>(int buffer, const Phase& phase)>;

  /// @param options the run's options, already checked. The driver may later change their algorithm.
  /// @param versions the versions of the state; the initial weights are committed there
  Preparation(ModelCreator creator, const Options& options, const AlgorithmInUse& algorithm, Versions& versions);

  /// Makes the members of `run` ready: replaces lost workers, builds missing replicas, and begins a generation, each
  /// only if it is necessary. If this function throws, the next call continues with the remaining work. It throws the
  /// errors of `Rounds::ask` and `build_replicas`.
  /// @param restore provides the first version of the state; see Restore
  /// @param needs_spare whether the state must also have a spare buffer
  void prepare(FormedRun& run, bool needs_spare, const Restore& restore, const Phase& start);
  /// Builds the replicas of `workers`, for the properties with which replicas were built last. Throws the errors of
  /// `build_replicas`.
  void build(FormedRun& run, const std::vector<int>& workers, const Phase& phase);
  /// If the replicas were built for other properties than the current algorithm requires, makes the next `prepare`
  /// build all replicas again.
  void follow_algorithm(Members& members) const {
    if (algorithm_.built_for() != built_for_) members.rebuild();
  }

  const ModelCreator& creator() const { return creator_; }
  /// Returns the description of the run's model. Call it only after `prepare` has succeeded once.
  const ModelDescription& model() const { return *model_; }
  const BuiltFor& built_for() const { return built_for_; }
  PrecisionChoice precision_choice() const {
    return precision_.choice(static_cast<Precision>(model_->traits.precision));
  }
  /// Returns the number of steps per epoch; 0 if the data has no epochs, or if the number is not known yet.
  std::int64_t steps_per_epoch() const { return model_ ? model_->traits.steps_per_epoch : 0; }
  StateDescription state() const { return algorithm_.state(steps_per_epoch()); }
  /// Returns the member numbers of the parameter servers.
  const std::vector<int>& servers() const { return servers_; }
  /// Returns the layout of the slabs in the largest object store, in the last generation. The layout is available even
  /// while no run is formed.
  const SlabLayout& largest_store() const { return largest_store_; }
  /// Returns the size of the state in the largest object store, in bytes. During a warm start, returns the larger one
  /// of the sizes during and after the warm start.
  std::int64_t state_bytes() const;

 private:
  void begin_generation(FormedRun& run, const Restore& restore, const Phase& phase);
  void find_servers(FormedRun& run);
  void start_servers(FormedRun& run);

  ModelCreator creator_;
  const Options& options_;
  const AlgorithmInUse& algorithm_;
  Versions& versions_;
  PrecisionDecision precision_;
  std::optional<ModelDescription> model_;
  BuiltFor built_for_;  ///< the properties with which the replicas were built
  std::vector<int> servers_;
  SlabLayout largest_store_;
};

}  // namespace troupe
