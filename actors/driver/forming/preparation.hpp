#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "actors/driver/algorithm_in_use.hpp"
#include "actors/driver/forming/formed_run.hpp"
#include "actors/driver/forming/precision_decision.hpp"
#include "actors/messages/model_description.hpp"
#include "collectives/state/versions.hpp"

namespace troupe {

/// Makes a run's members ready to work: starts workers in the places of lost workers, builds replicas for the
/// algorithm, and begins a generation with its parameter servers. The description of the replicas is kept when the run
/// ends. If the run is formed again, its replicas must match this description.
class Preparation {
 public:
  /// @param options the run's checked options, which may later name another algorithm
  /// @param versions receives the first weights as a committed version
  Preparation(ModelCreator creator, const Options& options, const AlgorithmInUse& algorithm, Versions& versions);

  /// Makes the members ready: does whatever is still missing of the work above. If it throws (the errors of
  /// `Rounds::ask`, or an error for replicas that cannot work together), the next call continues.
  /// @param needs_spare whether a spare buffer is needed as well
  void prepare(FormedRun& run, bool needs_spare, const Phase& start);
  /// If the algorithm requires other properties of replicas than the replicas have, makes the next `prepare` build them
  /// again.
  void follow_algorithm(Members& members) const {
    if (algorithm_.built_for() != built_for_) members.rebuild();
  }

  const ModelCreator& creator() const { return creator_; }
  /// Returns the description of the replicas. Call it only after `prepare` has succeeded once.
  const ModelDescription& model() const { return *model_; }
  const BuiltFor& built_for() const { return built_for_; }
  PrecisionChoice precision_choice() const {
    return precision_.choice(static_cast<Precision>(model_->traits.precision));
  }
  /// Returns the steps per epoch; 0 if the number has no meaning or is not known yet.
  std::int64_t steps_per_epoch() const { return model_ ? model_->traits.steps_per_epoch : 0; }
  StateDescription state() const { return algorithm_.state(steps_per_epoch()); }
  /// Returns the member numbers of the parameter servers.
  const std::vector<int>& servers() const { return servers_; }
  /// Returns the layout of the largest store in the last generation. It is available even while no run is formed.
  const SlabLayout& largest_store() const { return largest_store_; }
  /// Returns the size of the state in the largest store in bytes: now or after the warm start, whichever is larger.
  std::int64_t state_bytes() const;

 private:
  void begin_generation(FormedRun& run, const Phase& phase);
  void find_servers(FormedRun& run);
  void start_servers(FormedRun& run);

  ModelCreator creator_;
  const Options& options_;
  const AlgorithmInUse& algorithm_;
  Versions& versions_;
  PrecisionDecision precision_;
  std::optional<ModelDescription> model_;
  BuiltFor built_for_;  ///< the properties that the replicas were built with
  std::vector<int> servers_;
  SlabLayout largest_store_;
};

}  // namespace troupe
