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

/// Makes a run's members ready to work: workers in the places of lost ones, replicas as the algorithm asks for them,
/// and a generation that all know, with its parameter servers. What replicas turned out to be like outlives the run:
/// one that is formed again has the same.
class Preparation {
 public:
  /// @param options of the run, checked, which may come to say another algorithm
  /// @param versions where the first weights are committed, too
  Preparation(ModelCreator creator, const Options& options, const AlgorithmInUse& algorithm, Versions& versions);

  /// Does what is left of that. When it throws, as rounds do or where workers build what cannot work together, the next
  /// call begins with what is left then.
  /// @param needs_spare whether there is to be a buffer to write, too
  void prepare(FormedRun& run, bool needs_spare, const Phase& start);
  /// The next `prepare` builds replicas anew where the algorithm asks for others.
  void follow_algorithm(Members& members) const {
    if (algorithm_.built_for() != built_for_) members.rebuild();
  }

  const ModelCreator& creator() const { return creator_; }
  /// @pre it has prepared a run
  const ModelDescription& model() const { return *model_; }
  const BuiltFor& built_for() const { return built_for_; }
  PrecisionChoice precision_choice() const {
    return precision_.choice(static_cast<Precision>(model_->traits.precision));
  }
  /// 0 where that means nothing, or is not known yet.
  std::int64_t steps_per_epoch() const { return model_ ? model_->traits.steps_per_epoch : 0; }
  StateDescription state() const { return algorithm_.state(steps_per_epoch()); }
  /// Parameter servers, as members.
  const std::vector<int>& servers() const { return servers_; }
  /// Of the last generation, also while no run is formed.
  const SlabLayout& largest_store() const { return largest_store_; }
  /// Of the largest store, or what it will be once an awaited algorithm makes the steps, if that is more.
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
  BuiltFor built_for_;  ///< what replicas are like
  std::vector<int> servers_;
  SlabLayout largest_store_;
};

}  // namespace troupe
