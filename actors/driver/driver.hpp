#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/driver/algorithm_in_use.hpp"
#include "actors/driver/checkpoints/checkpoints.hpp"
#include "actors/driver/elasticity.hpp"
#include "actors/driver/faults/fault_injection.hpp"
#include "actors/driver/faults/losses.hpp"
#include "actors/driver/forming/formed_run.hpp"
#include "actors/driver/forming/preparation.hpp"
#include "actors/driver/forming/recovery.hpp"
#include "actors/driver/function_calls.hpp"
#include "actors/placements/placements.hpp"
#include "collectives/state/lineage.hpp"
#include "collectives/state/versions.hpp"
#include "models/optimizers/set_rates.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/callback.hpp"

namespace troupe {

class CheckpointReader;

/// Leads a run. The driver starts and replaces workers, makes steps, and fetches and writes vectors of the state. A
/// call that changes the state is a transaction: if it throws, its change is not committed.
///
/// Each call first settles the members. It replaces workers that were lost in an earlier call, in a new generation, and
/// waits for the other workers. If the run has lost a node, the call forms the run again from a checkpoint, if there is
/// one. If a worker or node is lost during the call, the call settles the members and tries again.
class Driver {
 public:
  Driver(ModelCreator creator, Options options, MakeRuntime make_runtime = make_actor_runtime);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Makes one step, and commits it unless `rehearse` is set. Returns the step's report.
  StepReport step(bool rehearse = false);
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test, const EvaluationOptions& measure = {});
  void set_learning_rate(double rate);
  void use(Algorithm algorithm);
  std::int64_t steps_per_epoch() const;
  /// Calls a registered function on all replicas, or on the first one only. Returns the results in order of worker and
  /// device.
  std::vector<Json> call_model(const std::string& name, const Json& arguments, bool first_only);
  std::vector<Json> call_worker(const std::string& name, const Json& arguments);

  void read_weights(const ReadFloats& use);
  void set_weights(std::span<const float> canonical);
  void save_state(const std::string& path);
  void load_state(const std::string& path);
  std::string checkpoint(std::optional<double> metric);
  /// Returns the checkpoints written to disk since the last call, in order.
  std::vector<CheckpointInfo> take_written() { return std::exchange(written_, {}); }
  /// Completes the checkpoint that is being written.
  void finish_checkpoint() noexcept {
    if (checkpoints_) checkpoints_->finish();
  }
  void resize(int num_workers);
  int num_workers() const;
  std::int64_t steps_done() const { return lost_at_.value_or(versions_.committed().step); }

  /// Keeps the committed version readable until `unpin`. Later steps write other buffers.
  /// @throws Error unsupported if the pinned versions would need more than kMostBuffers buffers
  Versions::PinId pin();
  void unpin(Versions::PinId pin) { versions_.unpin(pin); }
  /// Passes a vector of a pinned version to `use`, in canonical order. Vector 0 is the weights; the others belong to
  /// the optimizer.
  /// @throws Error worker_lost if the version was lost with a run that lost a node.
  void read_pinned(Versions::PinId pin, int vector, const ReadFloats& use, const char* phase);
  /// Returns a part of a vector of a pinned version, in canonical order.
  HeldFloats fetch_pinned(Versions::PinId pin, const VectorPart& part, const char* phase);

  const Options& options() const { return options_; }
  const ModelDescription& model() const { return preparation_.model(); }
  PrecisionChoice precision_choice() const { return preparation_.precision_choice(); }
  std::vector<int> worker_pids() const;
  /// See Preparation::state_bytes.
  std::int64_t state_bytes() const { return preparation_.state_bytes(); }

 private:
  /// Provides the content of the run's checkpoints.
  class Source;
  enum class Needs : unsigned char { members, spare_buffer, step };

  const Rules& rules() const { return rules_of(options_.placement); }
  Phase phase(const char* name, std::chrono::milliseconds timeout) const {
    return {name, versions_.committed().step + 1, Deadline(timeout)};
  }
  /// Returns the phase in which a vector of the state is fetched or written.
  Phase saving(const char* name) const { return phase(name, options_.timeouts.save); }
  void start();
  /// Creates the objects of the run, and waits until its nodes have joined. Starts no workers.
  void form();
  void prepare_checkpoints();
  void resume();
  /// Brings the members into a known state, with a spare buffer if `needs` requires one. First forms the run again if
  /// it has lost a node.
  void settle(Needs needs);
  /// As `settle`, but does not form the run again.
  void settle_run(Needs needs);
  void settle_members(Needs needs) {
    preparation_.prepare(*run_, needs != Needs::members, phase("start", options_.timeouts.start));
  }
  /// As `repairing`. For use in other source files, because `repairing` is a template.
  void make_ready(
      Needs needs, const std::function<void()>& work = [] {});
  /// Settles the members, calls `work` and returns its result. If a worker or node is lost, does both again, as often
  /// as the failure budget allows. `work` must not change the state before it succeeds.
  template <class Work>
  auto repairing(Needs needs, const Work& work);
  /// See Losses::note_untold.
  int note_untold(bool replaced);
  /// Records a loss, so that the call can be repeated. Waits for the pause that the failure budget prescribes.
  /// @throws Error `error` itself if it is no loss that can be repaired, or the error that the budget is spent
  void note_loss(const Error& error);
  [[noreturn]] void give_up(const Error& error);
  /// Removes the worker `blamed` and every other worker that was lost after it had joined, but keeps the minimum number
  /// of workers.
  void drop_lost(int blamed);
  /// Changes the number of workers if it is a range and the number of usable cores has changed.
  void follow_cores();

  // steps.cpp
  StepReport take_step(bool rehearse);
  /// Returns whether the algorithm can make this step without the lost workers, while their replacements start. Starts
  /// the replacements.
  bool goes_on_meanwhile();
  void rest();
  /// Makes the committed version complete on every node; see AlgorithmRunner::make_whole.
  void make_whole();
  /// Calls `use` with the context of a step.
  template <class Use>
  auto with_context(const Use& use);
  /// Makes `next` the algorithm of the run. Members must be at rest. If parameter servers are added or removed, or if
  /// the state gets another shape, a new generation is needed. If the shape changes, only the weights are kept. Returns
  /// the previous algorithm.
  std::unique_ptr<AlgorithmRunner> begin_algorithm(std::unique_ptr<AlgorithmRunner> next);
  void end_warm_start();
  void await_warm_start(std::unique_ptr<AlgorithmRunner> next);
  std::unique_ptr<AlgorithmRunner> go_back_to(std::unique_ptr<AlgorithmRunner> before, const StateShape& shape,
                                              const Version& version);
  void abandon_algorithm() noexcept;
  FunctionCalls calls() { return {run_->members(), run_->rounds(), run_->transfers()}; }

  // checkpoint.cpp
  CheckpointManifest manifest_of_version(const Version& version, const std::vector<std::string>& state) const;
  void write_state(const std::string& path);
  /// Loads a checkpoint and commits its state. Returns the learning rate that was set by hand before the checkpoint and
  /// that applies after it, if there is one.
  std::optional<double> load(const std::string& path);
  /// Writes the content of a checkpoint into a buffer of the state.
  /// @param saved the names of the vectors after the weights
  void place(const CheckpointReader& reader, const std::vector<std::string>& saved, int buffer);
  void end_run() noexcept;

  // lost_nodes.cpp
  /// Returns whether the run can be formed again after it has lost a node: it writes checkpoints, and steps from a
  /// known source lead to its present state.
  bool can_form_again() const;
  bool node_lost() const;
  /// Returns whether the error is, or may be, caused by a lost node.
  bool members_lost(const Error& error) const;
  /// Ends the run and forms it again: goes back to the newest valid checkpoint, and repeats the steps since then.
  void form_again();
  void end_lost_run() noexcept;
  void give_up_run() noexcept;
  /// Loads the newest valid checkpoint of the lineage. If there is none, keeps the initial weights if the lineage
  /// begins with them.
  /// @throws Error bad_file otherwise
  void go_back();
  /// Returns the weights of a run that has nodes, if possible also without the lost nodes.
  HeldFloats fetch_weights_of_nodes();
  /// Returns a vector in canonical order. The weights can be returned even if nodes are lost.
  /// @param buffer returns the number of the vector's buffer. It is called after the members were settled, because
  /// settling may change the number.
  HeldFloats fetch_of_nodes(int vector, const std::function<int()>& buffer, const char* name);
  /// Returns the weights of one of the remaining nodes, trying one node after the other. Ends the generation.
  HeldFloats rescue_weights(int buffer, const char* name);

  const LiveRun live_;
  const MakeRuntime make_runtime_;
  Options options_;
  UpdateRules optimizer_;
  AlgorithmInUse algorithm_;
  std::unique_ptr<FormedRun> run_;  ///< null while the run is not formed
  Versions versions_;
  Preparation preparation_;
  Elasticity elasticity_;
  Losses losses_;
  FaultInjection faults_;
  std::uint64_t calls_ = 0;  ///< the number of calls of `step`
  SetRates set_rates_;
  Lineage lineage_;
  /// The number of steps committed when a node was lost; set until the run is formed again.
  std::optional<std::int64_t> lost_at_;
  std::vector<float> kept_weights_;      ///< the weights of a run that lost a node, kept until the run is formed again
  std::vector<CheckpointInfo> written_;  ///< checkpoints that `take_written` has not returned yet
  std::unique_ptr<Checkpoints> checkpoints_;  ///< null without a folder; destroyed first, because it fetches vectors
};

template <class Work>
auto Driver::repairing(Needs needs, const Work& work) {
  std::vector<Stopwatch> losses;
  for (;;) {
    for (int noted = note_untold(/*replaced=*/false); noted > 0; --noted) losses.emplace_back();
    try {
      // Report a failure of the algorithm before lost workers are replaced, because `note_loss` decides whether they
      // are replaced.
      algorithm_->tell_failure();
      settle(needs);
      for (auto repair = losses_.repairs().end(); !losses.empty(); losses.pop_back())
        (--repair)->seconds = losses.back().seconds();
      return work();
    } catch (const Error& error) {
      losses.emplace_back();
      note_loss(error);
    }
  }
}

}  // namespace troupe
