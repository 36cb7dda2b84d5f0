#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/driver/checkpoints/state_files.hpp"
#include "actors/driver/copies/copies.hpp"
#include "actors/driver/function_calls.hpp"
#include "actors/driver/node_recovery.hpp"
#include "actors/driver/run.hpp"
#include "actors/driver/run_members.hpp"
#include "actors/driver/state_access.hpp"

namespace troupe {

/// Leads a run: makes steps, evaluates the model, calls the user's functions, and changes the algorithm. Its parts do
/// the rest: `RunMembers` starts and replaces workers, `NodeRecovery` forms the run, `StateAccess` reads and writes the
/// state, `StateFiles` saves it, and `Copies` keeps copies of it on nodes. A call that changes the state is a
/// transaction: if the call throws, its change is not committed.
///
/// A call that uses the members makes them ready first (`RunMembers::make_ready`): it replaces workers that were lost
/// in an earlier call, begins a new generation if one is needed, and waits for the other workers. If the run has lost a
/// node, the call forms the run again from a copy or a checkpoint, if there is one. If a worker or node is lost during
/// a call, the call makes the members ready and tries again.
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
  /// Makes `algorithm` the algorithm of the run, and provides the replicas and the generation that the algorithm needs.
  /// If this fails, makes the previous algorithm the run's algorithm again, and throws.
  void use(Algorithm algorithm);
  std::int64_t steps_per_epoch() const;
  const std::string& unit() const { return run_.model().traits.unit; }
  /// Calls the function that the user has registered as `name` on all replicas, or only on the first replica if
  /// `first_only` is true. Returns the results in order of worker and device.
  std::vector<Json> call_model(const std::string& name, const Json& arguments, bool first_only);
  std::vector<Json> call_worker(const std::string& name, const Json& arguments);
  void resize(int num_workers) { members_.resize(num_workers); }

  const Run& run() const { return run_; }
  StateAccess& state() { return state_; }
  StateFiles& files() { return files_; }

 private:
  void start();
  /// If nodes want to join or leave the run, preserves the state, so that the next call of `make_ready` forms the run
  /// again with the other nodes.
  void follow_nodes();
  /// Makes a copy of the committed version; if the state cannot be copied, writes a checkpoint. Returns false if
  /// neither is possible, or if a node was lost meanwhile.
  bool preserve_state();
  /// Continues the copies of the state after `steps` steps that took `seconds` seconds.
  CopyReport copy_state(std::int64_t steps, double seconds);
  /// Does the same for a run with parameter servers, which is brought to rest first.
  CopyReport copy_servers(std::int64_t steps, double seconds);
  FunctionCalls calls() { return {run_.formed->members(), run_.formed->rounds(), run_.formed->transfers()}; }

  // Each part uses only parts above it. `Run` calls parts below it by functions that they set, such as `Run::restore`.
  Run run_;
  Copies copies_;
  NodeRecovery nodes_;
  RunMembers members_;
  StateAccess state_;
  StateFiles files_;
  /// An error that occurred after a step was committed, while the state was copied. The next step throws it.
  std::optional<Error> copy_error_;
};

}  // namespace troupe
