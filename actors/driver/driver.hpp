#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/driver/algorithm_in_use.hpp"
#include "actors/driver/checkpoints/checkpoints.hpp"
#include "actors/driver/copies/copies.hpp"
#include "actors/driver/elasticity.hpp"
#include "actors/driver/faults/fault_injection.hpp"
#include "actors/driver/faults/losses.hpp"
#include "actors/driver/forming/formed_run.hpp"
#include "actors/driver/forming/preparation.hpp"
#include "actors/driver/forming/recovery.hpp"
#include "actors/driver/function_calls.hpp"
#include "actors/driver/node_changes.hpp"
#include "actors/placements/placements.hpp"
#include "collectives/state/lineage.hpp"
#include "collectives/state/versions.hpp"
#include "models/optimizers/set_rates.hpp"
#include "models/optimizers/update_rules.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/callback.hpp"

namespace troupe {

class CheckpointReader;

/// Leads a run: starts and replaces workers, makes steps, and reads and writes vectors of the state. A call that
/// changes the state is a transaction: if the call throws, its change is not committed.
///
/// A call that uses the members settles them first: it replaces workers that were lost in an earlier call, begins a new
/// generation if one is needed, and waits for the other workers. If the run has lost a node, the call forms the run
/// again from a checkpoint, if there is one. If a worker or node is lost during a call, the call settles the members
/// and tries again.
class Driver {
 public:
  Driver(ModelCreator creator, Options options, MakeRuntime make_runtime = make_actor_runtime);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Makes one step, commits it unless `rehearse` is true, and returns the step's report.
  StepReport step(bool rehearse = false);
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test, const EvaluationOptions& measure = {});
  void set_learning_rate(double rate);
  void use(Algorithm algorithm);
  std::int64_t steps_per_epoch() const;
  const std::string& unit() const { return model().traits.unit; }
  /// Calls the function that the user has registered as `name` on all replicas, or only on the first replica if
  /// `first_only` is true. Returns the results in order of worker and device.
  std::vector<Json> call_model(const std::string& name, const Json& arguments, bool first_only);
  std::vector<Json> call_worker(const std::string& name, const Json& arguments);

  void read_weights(const ReadFloats& use);
  void set_weights(std::span<const float> canonical);
  void save_state(const std::string& path);
  void load_state(const std::string& path);
  std::string checkpoint(std::optional<double> metric);
  /// Returns the checkpoints that were written to disk since the last call of `take_written`, in order.
  std::vector<CheckpointInfo> take_written() { return std::exchange(written_, {}); }
  /// Blocks until the checkpoint that is being written is complete.
  void finish_checkpoint() noexcept {
    if (checkpoints_) checkpoints_->finish();
  }
  void resize(int num_workers);
  int num_workers() const;
  std::int64_t steps_done() const { return lost_at_.value_or(versions_.committed().step); }

  /// Pins the committed version: it stays readable until `unpin`, because later steps write other buffers. Returns the
  /// id to pass to `unpin`.
  /// @throws Error unsupported if the state would then need more than kMostBuffers buffers; worker_lost if the run has
  /// lost a node and is not formed again yet
  Versions::PinId pin();
  void unpin(Versions::PinId pin) { versions_.unpin(pin); }
  /// Calls `use` with a vector of a pinned version, in canonical order. Vector 0 contains the weights; the other
  /// vectors belong to the optimizer.
  /// @param phase the name of the phase for errors
  /// @throws Error worker_lost if the version no longer exists, because the run has lost a node
  void read_pinned(Versions::PinId pin, int vector, const ReadFloats& use, const char* phase);
  /// Returns a part of a vector of a pinned version, in canonical order.
  /// @param phase the name of the phase for errors
  HeldFloats fetch_pinned(Versions::PinId pin, const VectorPart& part, const char* phase);

  const Options& options() const { return options_; }
  const ModelDescription& model() const { return preparation_.model(); }
  PrecisionChoice precision_choice() const { return preparation_.precision_choice(); }
  std::vector<int> worker_pids() const;
  /// See Preparation::state_bytes.
  std::int64_t state_bytes() const { return preparation_.state_bytes(); }

 private:
  /// Provides the content of the run's checkpoints to class Checkpoints.
  class Source;
  enum class Needs : unsigned char { members, spare_buffer, step };

  const Rules& rules() const { return rules_of(options_.placement); }
  Phase phase(const char* name, std::chrono::milliseconds timeout) const {
    return {name, versions_.committed().step + 1, Deadline(timeout)};
  }
  /// Returns the phase in which a vector of the state is fetched or written.
  Phase saving(const char* name) const { return phase(name, options_.timeouts.save); }
  void start();
  /// Creates the objects of the run (FormedRun), and waits until its nodes have joined. Does not start workers.
  void form();
  void prepare_checkpoints();
  void resume();
  /// Settles the members and calls `work`. If a worker or node is lost meanwhile, repeats both, as often as the failure
  /// budget allows. If the run has lost a node, forms the run again first. `work` must not change the state before it
  /// succeeds.
  void make_ready(
      Needs needs, const std::function<void()>& work = [] {});
  /// Brings the algorithm to rest and settles the members. A step whose algorithm can go on without this does neither.
  /// For all other calls, also completes the state (`make_whole`).
  void settle(Needs needs);
  /// Settles the members, and provides a spare buffer if `needs` requires one.
  void settle_members(Needs needs);
  /// See Losses::note_untold.
  int note_untold(bool replaced);
  /// Records the loss that `error` reports, so that the call can be repeated, and waits for the pause that the failure
  /// budget requires.
  /// @throws Error `error` itself if it does not report a loss from which the run can recover; or the error that the
  /// failure budget is spent
  void note_loss(const Error& error);
  [[noreturn]] void give_up(const Error& error);
  /// Removes the worker `blamed` from the run, and every other worker that was lost after it had joined. However, keeps
  /// at least the minimum number of workers.
  void drop_lost(int blamed);
  /// If the option `num_workers` is a range and the number of usable cores has changed, changes the number of workers
  /// accordingly.
  void follow_cores();

  /// If nodes want to join or leave the run, preserves the state, so that the next `make_ready` forms the run again
  /// with the other nodes.
  void follow_nodes();
  /// Makes a copy of the committed version; if the state cannot be copied, writes a checkpoint. Returns false if
  /// neither is possible, or if a node was lost meanwhile.
  bool preserve_state();
  /// Continues the copies of the state after `steps` steps that took `seconds` seconds.
  CopyReport copy_state(std::int64_t steps, double seconds);
  /// Does the same for a run with parameter servers, which is brought to rest first.
  CopyReport copy_servers(std::int64_t steps, double seconds);
  /// Makes a copy of the committed version at once. Returns false if this fails.
  /// @param again see Copies::make_now
  bool make_copy(bool again = false);
  /// Returns whether copies of the state are made in this run, with the present algorithm.
  bool can_be_copied() const;
  /// Returns whether a run that is formed again continues from the newest copy: there is one, and no checkpoint is
  /// newer.
  bool will_restore_copy() const;

  // steps.cpp
  StepReport take_step(bool rehearse);
  /// Starts replacements for lost workers. Returns whether the algorithm can make this step without the lost workers,
  /// while the replacements start.
  bool goes_on_meanwhile();
  void rest();
  /// Completes the committed version of the state on every node; see AlgorithmRunner::make_whole.
  void make_whole();
  /// Returns the context of the next step.
  StepContext context();
  /// Makes `next` the algorithm of the run, and returns the previous algorithm. Members must be at rest. If parameter
  /// servers are added or removed, or if the shape of the state changes, the next `settle_members` begins a new
  /// generation. If the shape changes, only the weights are kept.
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
  /// Loads the checkpoint at `path` and commits its state. If the user had set a learning rate before the checkpoint
  /// was written, returns this rate, which also applies to the steps after it. Otherwise returns none.
  std::optional<double> load(const std::string& path);
  /// Writes all vectors of a checkpoint into the buffer `buffer` of the state.
  /// @param saved the names of the vectors that follow the weights
  void place(const CheckpointReader& reader, const std::vector<std::string>& saved, int buffer);
  void end_run() noexcept;

  // lost_nodes.cpp
  /// Returns whether the run can be formed again after it has lost a node: from a copy of its state, from a checkpoint,
  /// or, before the first copy, from its beginning. The present state must follow from there by steps alone.
  bool can_form_again() const;
  bool node_lost() const;
  /// Returns whether a lost node is the cause, or a possible cause, of `error`.
  bool members_lost(const Error& error) const;
  /// Records that the run must be formed again because of `loss`, and how many nodes are known to join it then.
  void expect_survivors(const Error& loss);
  /// Ends the run and forms it again from the nodes that then join. Loads the newest valid checkpoint, and repeats the
  /// steps since that checkpoint.
  void form_again();
  /// Restores the newest copy of the state into `buffer`, and returns its version. Returns none, and logs the reason,
  /// if the copy is lost.
  std::optional<Version> restore_copy(int buffer, const Phase& phase);
  /// Records which nodes have joined and left since the run was formed last.
  void note_nodes();
  /// Copies the state that was just restored, unless all nodes of the new run have copies of it.
  void renew_copy();
  void end_lost_run() noexcept;
  void give_up_run() noexcept;
  /// Loads the newest valid checkpoint of the lineage. If there is no valid checkpoint, but the lineage starts from the
  /// initial weights, keeps the initial weights.
  /// @throws Error bad_file if the run can continue from neither
  void go_back();
  /// Returns the weights of a run in a cluster. If nodes are lost, returns the weights of a remaining node, if
  /// possible.
  HeldFloats fetch_weights_of_nodes();
  /// Returns a vector of the state of a run in a cluster, in canonical order. The weights can be returned even if nodes
  /// are lost.
  /// @param buffer a function that returns the number of the vector's buffer. It is called after the members were
  /// settled, because settling may change the number.
  /// @param name the name of the phase for errors
  HeldFloats fetch_of_nodes(int vector, const std::function<int()>& buffer, const char* name);
  /// Returns the weights from a node that is not lost; tries one node after the other. Ends the current generation.
  HeldFloats rescue_weights(int buffer, const char* name);

  const LiveRun live_;
  const MakeRuntime make_runtime_;
  Options options_;
  UpdateRules optimizer_;
  AlgorithmInUse algorithm_;
  std::unique_ptr<FormedRun> run_;  ///< null while no run is formed
  Versions versions_;
  Preparation preparation_;
  Elasticity elasticity_;
  Losses losses_;
  FaultInjection faults_;
  std::uint64_t calls_ = 0;  ///< the number of calls of `step`
  SetRates set_rates_;
  Lineage lineage_;
  Copies copies_;
  /// The number of steps that were committed when a node was lost. Set from the loss until the run is formed again.
  std::optional<std::int64_t> lost_at_;
  /// The weights of a run that has lost a node, kept until the run is formed again.
  std::vector<float> kept_weights_;
  /// The number of nodes that are known to join when the run is formed again; 0 if no node is known.
  int expected_nodes_ = 0;
  NodeChanges node_changes_;
  NodesReport nodes_report_;        ///< the changes of nodes since the last step
  std::int64_t copied_pushes_ = 0;  ///< AlgorithmRunner::pushes when the newest copy was made
  std::int64_t lost_pushes_ = 0;    ///< the number of pushes that were lost since the last step
  std::optional<Error> loss_;       ///< the loss because of which the run is formed again
  /// An error that occurred after a step was committed, while the state was copied. The next step throws it.
  std::optional<Error> copy_error_;
  bool restored_ = false;                ///< the present run, which was formed again, continues from a copy
  std::optional<Error> copy_loss_;       ///< why the newest copy of the state could not be restored
  std::vector<CheckpointInfo> written_;  ///< the written checkpoints that `take_written` has not returned yet
  /// Null if the options have no checkpoint folder. Declared last and so destroyed first, because it uses the members
  /// above to fetch vectors.
  std::unique_ptr<Checkpoints> checkpoints_;
};

}  // namespace troupe
