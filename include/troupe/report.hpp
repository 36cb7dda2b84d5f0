#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "troupe/model.hpp"
#include "troupe/strategy.hpp"

// What a run says of its steps.
namespace troupe {

/// What a run computes in. It is decided once, for all workers, also those that come later, and for runs that go on
/// from its checkpoints, since the bits depend on it.
struct PrecisionChoice {
  Precision asked = Precision::f32;     ///< ComputeOptions::precision
  Precision computed = Precision::f32;  ///< what the replicas really compute in
  PrecisionSeconds measured = {};       ///< of layers of the model, on the slowest worker in each precision
  bool resumed = false;                 ///< the checkpoint's run had decided; nothing was measured
};

/// Wall-clock seconds of one step's phases, without the time to replace workers that were lost before it. `step` is
/// their sum but for the driver's own bookkeeping.
struct PhaseSeconds {
  double step = 0;
  double compute_all = 0;         ///< from the first message until the last worker's gradients are there
  double reduce = 0;              ///< adding the gradients, in the worker that needed least time for it
  double apply_all = 0;           ///< until the last worker has updated its weights
  std::vector<double> compute;    ///< inside each worker
  std::vector<double> apply;      ///< inside each worker
  std::vector<double> data = {};  ///< inside each worker, of compute: until its samples were there
};

/// One line a time, as `step()` prints them: the label, a space and seconds; one interior line a worker, and one where
/// it waited a millisecond or more for data.
std::ostream& operator<<(std::ostream& out, const PhaseSeconds& seconds);

/// A worker or node that was lost. A worker of this machine is replaced, or done without. A run that lost a node is
/// formed again, from its newest checkpoint, and the steps since are done again.
struct Repair {
  int worker = -1;             ///< -1: a node
  std::string node = {};       ///< where it was: "pid N", or the name of a node
  std::string phase = {};      ///< of the step or call in which its loss was seen
  std::string what = {};       ///< such as "a worker was lost: its process was ended by signal 9"
  bool redistributed = false;  ///< the others have its shards now; else a fresh worker has
  double seconds = 0;          ///< from then until all workers were there again, and all steps done again
  std::int64_t replayed = 0;   ///< steps that were done again
};

/// What has become of checkpoints up to a step.
struct CheckpointReport {
  std::string path = {};     ///< of the last one that is on disk; empty before the first
  std::int64_t step = -1;    ///< of that one
  bool writing = false;      ///< whether another is being written
  std::int64_t skipped = 0;  ///< that were due while the one before was still being written
  std::string error = {};    ///< why the last one could not be written, until one is; the next one due tries again
  double seconds = 0;        ///< that this call of `step()` took for it, beyond PhaseSeconds::step
};

/// The worker that computed longest in a step, of two or more.
struct Slowest {
  int worker = -1;     ///< -1 where there is one worker
  double seconds = 0;  ///< as PhaseSeconds::compute
  double others = 0;   ///< the median of the others' seconds

  /// Whether it took more than twice as long as the others, and a millisecond or more.
  bool stands_out() const { return worker >= 0 && seconds >= 0.001 && seconds > 2 * others; }
};

/// One line if it stands out; else nothing.
std::ostream& operator<<(std::ostream& out, const Slowest& slowest);

/// How many pushes of others were applied between a worker's fetch and its own push.
struct Staleness {
  double mean = 0;
  std::int64_t largest = -1;                 ///< -1 where nothing was pushed
  std::vector<std::int64_t> histogram = {};  ///< pushes, by how stale they were
};

/// How often a worker fetched and pushed.
struct WorkerTraffic {
  int worker = -1;
  std::int64_t fetches = 0;
  std::int64_t pushes = 0;
  std::int64_t dropped = 0;  ///< pushes that were too stale
};

/// What replicas that run on their own clocks did, and parameter servers.
struct AsynchronousReport {
  Staleness staleness = {};
  std::vector<WorkerTraffic> workers = {};  ///< those that fetched or pushed
  std::int64_t bytes_fetched = 0;
  std::int64_t bytes_pushed = 0;
  std::string record_failure = {};  ///< why Downpour::record ends before the run; empty: it does not
};

/// What shards did on copies of their own.
struct LocalReport {
  int steps = 0;     ///< of each shard, since the mean before; 0 with other algorithms
  double drift = 0;  ///< how far the copies were apart: the root of the mean of their squared distances from their mean
};

/// One line; nothing with other algorithms.
std::ostream& operator<<(std::ostream& out, const LocalReport& local);

/// How L-BFGS goes on.
enum class LbfgsEnd : std::uint8_t {
  none,        ///< it does
  converged,   ///< no float of the gradient is larger than Lbfgs::tolerance
  no_descent,  ///< not even along the gradient is there a smaller loss to be found: numbers end here
  budget,      ///< a line search has used up its evaluations and found none
};

/// The name, as it is written here.
const char* to_string(LbfgsEnd end);

/// What one step of L-BFGS did. Where it has ended, and `step_length` is 0, no step was made: the weights are as they
/// were.
struct LbfgsReport {
  LbfgsEnd end = LbfgsEnd::none;
  int evaluations = 0;     ///< of the loss and its gradient
  double objective = 0;    ///< the mean loss and the penalty, at the new weights
  double step_length = 0;  ///< along the direction
  double largest = 0;      ///< of the gradient's floats, at the new weights
  int pairs = 0;           ///< that the direction was made of; 0: along the gradient
  int portions = 0;        ///< that were computed, without backups
  int backups = 0;
  int backups_won = 0;  ///< that were there first
};

/// One line; nothing with other algorithms.
std::ostream& operator<<(std::ostream& out, const LbfgsReport& lbfgs);

/// What a committed step did.
struct StepReport {
  std::int64_t step = 0;     ///< 1 for the first
  double loss = 0;           ///< mean over the samples, before the update
  double learning_rate = 0;  ///< of tensors in no group
  double gradient_norm = 0;  ///< length of the mean gradient before it was clipped, with GradientOptions::clip_norm;
                             ///< of lbfgs that at the new weights, penalty included; else 0
  std::int64_t samples = 0;
  std::int64_t correct = -1;  ///< of these, those that the model got right before the update; -1: its loss has no such
  std::int64_t left_out_samples = 0;  ///< that could not be read, where data is asked to leave such out
  std::int64_t bytes_copied = 0;      ///< gradient bytes written a second time, after the model wrote them
  std::int64_t bytes_over_bus = 0;    ///< between hosts and their accelerators, both ways, for the gradients that the
                                      ///< step was made of
  std::int64_t bytes_sent = 0;        ///< between nodes, in all rounds of the exchange, by all nodes together
  std::int64_t state_bytes = 0;   ///< of the slabs of weights and optimizer state in one store: this machine's, or each
                                  ///< node's
  std::int64_t pinned_bytes = 0;  ///< of these, held for versions that somebody still reads
  std::string algorithm = {};     ///< Options::algorithm
  Strategy strategy = Strategy::automatic;  ///< that reduced the gradients; never automatic after a step
  bool deterministic = true;                ///< whether the fixed order of additions was kept
  PhaseSeconds seconds = {};
  Slowest slowest = {};
  std::vector<int> left_out =
      {};  ///< workers that were late, whose part others did; see FaultToleranceOptions::backup_workers
  std::vector<Repair> repairs = {};  ///< since the step before; its work was done again, with the same result
  CheckpointReport checkpoint = {};
  AsynchronousReport asynchronous = {};  ///< of downpour and ssp: since the step before
  LbfgsReport lbfgs = {};  ///< of lbfgs; `loss` is that of the new weights, `samples` are of all evaluations
  LocalReport local = {};  ///< of local; `step` and `samples` count all steps of the call

  /// The training accuracy: the share of the samples that the model got right, with lbfgs in all evaluations of the
  /// step; none where its loss has no such.
  std::optional<double> accuracy() const {
    if (correct < 0 || samples == 0) return std::nullopt;
    return static_cast<double>(correct) / static_cast<double>(samples);
  }

  /// The loss, as in `double loss = sgd.step()`.
  operator double() const { return loss; }  // NOLINT(google-explicit-constructor): for that
};

/// How well samples of a class are found. What would be divided by zero is 0, as scikit-learn's zero_division=0 has it:
/// the precision of a class that nothing was taken for, the recall of one without samples, and F1 where both are 0.
struct ClassMetrics {
  double precision = 0;      ///< of what was taken for the class, the share that is of it
  double recall = 0;         ///< of the class's samples, the share that was found
  double f1 = 0;             ///< the harmonic mean of both
  std::int64_t support = 0;  ///< samples of the class
};

/// How far outputs are off from targets.
struct TargetMetrics {
  double mse = 0;  ///< mean of (output - target)^2
  double mae = 0;  ///< mean of |output - target|
  /// 1 less the sum of (output - target)^2 through that of (target - its mean over the set)^2. Where the target is the
  /// same everywhere: 1 without any error, else 0.
  double r2 = 0;
};

struct NamedMetric {
  std::string name;
  double value = 0;  ///< mean over the samples
};

/// What the test or validation set says of the current weights. Members behind `samples` are empty where they were not
/// asked for, or the model does not measure them.
struct Evaluation {
  double loss = 0;      ///< mean
  double accuracy = 0;  ///< share of samples that the model got right; see Loss::is_hit
  std::int64_t samples = 0;

  int top_k = 0;  ///< as asked for
  std::optional<double> top_k_accuracy = {};
  std::vector<std::int64_t> confusion = {};  ///< samples by class (a row), and by what they were taken for (a column)
  std::vector<ClassMetrics> classes = {};    ///< from the confusion matrix
  ClassMetrics macro = {};  ///< means over the classes, those without samples included; support: of all
  std::vector<std::string> class_names = {};  ///< where the data has such
  std::vector<TargetMetrics> targets = {};
  std::vector<std::string> target_names = {};  ///< where the data has such
  TargetMetrics all_targets = {};              ///< means over the targets; r2: of the sums over all
  std::vector<NamedMetric> metrics = {};       ///< ModelInfo::metrics, always
};

}  // namespace troupe
