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

/// Leads a run: has workers started and replaced, steps made as transactions, and vectors of the state fetched and
/// placed.
///
/// After an error nothing has changed; the next call first brings the members back into a known state: workers that
/// were lost are replaced under a new generation, the others are waited for; a run that lost a node is formed again
/// from a checkpoint, where there is one. When a worker or node dies, calls do so themselves and begin anew.
class Driver {
 public:
  Driver(ModelCreator creator, Options options, MakeRuntime make_runtime = make_actor_runtime);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// One step, committed unless `rehearse`.
  StepReport step(bool rehearse = false);
  Evaluation evaluate(EvaluationSet set = EvaluationSet::test, const EvaluationOptions& measure = {});
  void set_learning_rate(double rate);
  void use(Algorithm algorithm);
  std::int64_t steps_per_epoch() const;
  /// Runs a registered function; what it returned in order of worker and device.
  std::vector<Json> call_model(const std::string& name, const Json& arguments, bool first_only);
  std::vector<Json> call_worker(const std::string& name, const Json& arguments);

  void read_weights(const ReadFloats& use);
  void set_weights(std::span<const float> canonical);
  void save_state(const std::string& path);
  void load_state(const std::string& path);
  std::string checkpoint(std::optional<double> metric);
  /// Those that are on disk since this was called last, in order.
  std::vector<CheckpointInfo> take_written() { return std::exchange(written_, {}); }
  /// Brings the checkpoint that is being written to its end.
  void finish_checkpoint() noexcept {
    if (checkpoints_) checkpoints_->finish();
  }
  void resize(int num_workers);
  int num_workers() const;
  std::int64_t steps_done() const { return lost_at_.value_or(versions_.committed().step); }

  /// The committed version stays to be read, whatever steps follow, until it is unpinned. Steps take other buffers.
  /// @throws Error unsupported where more are pinned than nodes keep buffers for.
  Versions::PinId pin();
  void unpin(Versions::PinId pin) { versions_.unpin(pin); }
  /// Shows a vector of a pinned version in canonical order: the weights, which are vector 0, or one of the optimizer's.
  /// @throws Error worker_lost where it went with a run that lost a node.
  void read_pinned(Versions::PinId pin, int vector, const ReadFloats& use, const char* phase);
  /// A part of one, to be held.
  HeldFloats fetch_pinned(Versions::PinId pin, const VectorPart& part, const char* phase);

  const Options& options() const { return options_; }
  const ModelDescription& model() const { return preparation_.model(); }
  PrecisionChoice precision_choice() const { return preparation_.precision_choice(); }
  std::vector<int> worker_pids() const;
  /// See Preparation.
  std::int64_t state_bytes() const { return preparation_.state_bytes(); }

 private:
  /// This run, of which checkpoints are made.
  class Source;
  enum class Needs : unsigned char { members, spare_buffer, step };

  const Rules& rules() const { return rules_of(options_.placement); }
  Phase phase(const char* name, std::chrono::milliseconds timeout) const {
    return {name, versions_.committed().step + 1, Deadline(timeout)};
  }
  /// In which a vector of the state is fetched or placed.
  Phase saving(const char* name) const { return phase(name, options_.timeouts.save); }
  void start();
  /// Has members join, without any work yet.
  void form();
  void prepare_checkpoints();
  void resume();
  /// Brings the members into a known state, with a buffer to write where that is needed; forms a lost run again.
  void settle(Needs needs);
  /// The same without forming it again.
  void settle_run(Needs needs);
  void settle_members(Needs needs) {
    preparation_.prepare(*run_, needs != Needs::members, phase("start", options_.timeouts.start));
  }
  /// As `repairing`, for other files.
  void make_ready(
      Needs needs, const std::function<void()>& work = [] {});
  /// Settles and does the work; both again when a worker died, as often as the budget allows. The work changes nothing
  /// before it is done.
  template <class Work>
  auto repairing(Needs needs, const Work& work);
  /// As Losses.
  int note_untold(bool replaced);
  /// @throws Error the loss itself, or that the budget is spent
  void note_loss(const Error& error);
  [[noreturn]] void give_up(const Error& error);
  /// The one that is blamed and others that were lost since they came, as far as enough are left.
  void drop_lost(int blamed);
  void follow_cores();

  // steps.cpp
  StepReport take_step(bool rehearse);
  /// Whether a step of an algorithm that is under way is made without workers that were lost, while others start in
  /// their places.
  bool goes_on_meanwhile();
  void rest();
  /// Has parameter servers of nodes bring their slices of the weights together.
  void make_whole();
  /// Calls `use` with what a step is made of.
  template <class Use>
  auto with_context(const Use& use);
  /// The run goes on with what these options say.
  /// Members are at rest. The generation falls where parameter servers come or go, or the state has another shape:
  /// then but for the weights it begins anew.
  /// Returns the one before.
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
  /// @returns the learning rate that was set by hand, with which the run goes on from there
  std::optional<double> load(const std::string& path);
  /// Makes what a checkpoint holds the state in a buffer. @param saved names of its vectors beside the weights
  void place(const CheckpointReader& reader, const std::vector<std::string>& saved, int buffer);
  void end_run() noexcept;

  // lost_nodes.cpp
  /// Whether a run that has lost a node can go on.
  bool can_form_again() const;
  bool node_lost() const;
  /// Whether an error is of a lost node, or may be.
  bool members_lost(const Error& error) const;
  void form_again();
  void end_lost_run() noexcept;
  void give_up_run() noexcept;
  void go_back();
  HeldFloats fetch_weights_of_nodes();
  /// A vector in canonical order; the weights also where nodes are lost.
  /// @param buffer where it lies once the members are settled
  HeldFloats fetch_of_nodes(int vector, const std::function<int()>& buffer, const char* name);
  /// Asks the nodes that are left, one after the other. It ends the generation.
  HeldFloats rescue_weights(int buffer, const char* name);

  const LiveRun live_;
  const MakeRuntime make_runtime_;
  Options options_;
  UpdateRules optimizer_;
  AlgorithmInUse algorithm_;
  std::unique_ptr<FormedRun> run_;  ///< null while it is not formed
  Versions versions_;
  Preparation preparation_;
  Elasticity elasticity_;
  Losses losses_;
  FaultInjection faults_;
  std::uint64_t calls_ = 0;  ///< of `step`
  SetRates set_rates_;
  Lineage lineage_;
  std::optional<std::int64_t>
      lost_at_;                      ///< steps that were committed when a node was lost, until the run is formed again
  std::vector<float> kept_weights_;  ///< of a run that has been ended, until it is formed again
  std::vector<CheckpointInfo> written_;       ///< that nobody has been told of
  std::unique_ptr<Checkpoints> checkpoints_;  ///< none without a folder; the first to go, since it asks for vectors
};

template <class Work>
auto Driver::repairing(Needs needs, const Work& work) {
  std::vector<Stopwatch> losses;
  for (;;) {
    for (int noted = note_untold(/*replaced=*/false); noted > 0; --noted) losses.emplace_back();
    try {
      algorithm_->tell_failure();  // before who was lost is replaced, which is for `note_loss` to say
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
