#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "actors/driver/algorithm_in_use.hpp"
#include "actors/driver/faults/fault_injection.hpp"
#include "actors/driver/forming/formed_run.hpp"
#include "actors/driver/forming/preparation.hpp"
#include "actors/placements/placements.hpp"
#include "collectives/state/lineage.hpp"
#include "collectives/state/versions.hpp"
#include "models/optimizers/set_rates.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// The condition of the members and of the state that a call requires before its work begins.
enum class Needs : unsigned char {
  members,       ///< all members are at rest, and every node has the complete state
  spare_buffer,  ///< the same, and the state has a buffer that may be written
  step,          ///< the state has a spare buffer; members may still work for the algorithm
};

/// The run of a driver, which all parts of the driver share: its options, its algorithm, the versions of its state, and
/// its members while it is formed. If `NodeRecovery` could not form a run again, the run is not formed until the next
/// attempt succeeds.
struct Run {
  /// Checks and completes the options, and creates the algorithm.
  /// @throws Error as `check_options` and `AlgorithmInUse::begin` do
  Run(ModelCreator creator, Options its_options, MakeRuntime its_make_runtime);
  /// Ends the run.
  ~Run() { end(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Creates the members of the run and the connections to them (FormedRun). Does not start workers.
  void form(int num_workers);
  /// Stops the algorithm and ends all members.
  void end() noexcept;
  /// Ends all members, and forgets the state that they had.
  void give_up() noexcept;

  /// Brings the algorithm to rest, and then settles the members. If the call is a step and its algorithm can continue
  /// without both, does nothing. If the call is not a step, also completes the state (`make_whole`).
  void settle(Needs needs);
  /// Replaces lost workers, begins a new generation if one is needed, and waits for the other members. Provides a spare
  /// buffer if `needs` requires one.
  void settle_members(Needs needs);
  /// Makes one step, and commits it unless `rehearse` is true. The members must be settled for a step.
  StepReport take_step(bool rehearse);
  /// Brings the algorithm to rest: waits until no member works for it any more.
  void rest();
  /// Stops an algorithm that is under way. Ignores errors, because the caller ends the members that are still busy.
  void abandon_algorithm() noexcept;

  const Rules& rules() const { return rules_of(options.placement); }
  Phase phase(const char* name, std::chrono::milliseconds timeout) const {
    return {name, versions.committed().step + 1, Deadline(timeout)};
  }
  /// Returns the phase in which a vector of the state is fetched or written.
  Phase saving(const char* name) const { return phase(name, options.timeouts.save); }
  const ModelDescription& model() const { return preparation.model(); }
  std::int64_t steps_done() const { return lost_at.value_or(versions.committed().step); }
  int num_workers() const { return formed ? formed->members().num_workers() : options.num_workers.max; }
  std::vector<int> worker_pids() const;
  bool saves_checkpoints() const { return !options.checkpoint.folder.empty(); }
  /// Returns whether a node of the formed run is lost.
  bool node_lost() const;
  /// Returns whether `error` may be the effect of a lost node: it reports the loss of a member or a deadline, or a node
  /// is lost.
  bool may_come_of_lost_node(const Error& error) const;

  const LiveRun live;
  const MakeRuntime make_runtime;
  Options options;  ///< `Driver::use` changes the algorithm
  UpdateRules optimizer;
  AlgorithmInUse algorithm;
  std::unique_ptr<FormedRun> formed;  ///< null while the run is not formed
  Versions versions;
  Preparation preparation;
  SetRates set_rates;
  Lineage lineage;
  FaultInjection faults;
  std::uint64_t calls = 0;  ///< the number of calls of `Driver::step`, which counts them
  /// The number of steps that were committed when a node was lost, or when the run ended because nodes join or leave.
  /// `NodeRecovery` sets it, until the run is formed again.
  std::optional<std::int64_t> lost_at;

  // Functions of parts that are made after the run. These parts set them.
  /// Provides the first version of the state when the run is formed again (NodeRecovery); see Preparation::Restore.
  Preparation::Restore restore = [](int /*buffer*/, const Phase& /*phase*/) { return std::nullopt; };
  /// Completes the checkpoint that is being written, because the state is about to lose vectors (StateFiles).
  std::function<void()> finish_checkpoint = [] {};
  /// Drops the checkpoint that is being written, because the members that have its vectors end (StateFiles).
  std::function<void()> abandon_checkpoint = [] {};

 private:
  /// Returns the context of the next step.
  StepContext context();
  /// Starts replacements for lost workers. Returns whether the algorithm can make this step without the lost workers,
  /// while the replacements start.
  bool goes_on_meanwhile();
};

}  // namespace troupe
