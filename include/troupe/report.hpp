#pragma once

// Reports of steps and evaluations: the results of DistributedSGD::step and DistributedSGD::evaluate.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "troupe/model.hpp"
#include "troupe/strategy.hpp"

namespace troupe {

/// The number format of a run. The format is chosen once, for all workers. Workers that join later and runs that resume
/// from the checkpoints of this run use the same format, because the result depends on it.
struct PrecisionChoice {
  Precision asked = Precision::f32;     ///< ComputeOptions::precision
  Precision computed = Precision::f32;  ///< the format that replicas use
  /// Times of the model's layers, on the slowest worker for each format.
  PrecisionSeconds measured = {};
  /// True if the format comes from a checkpoint; nothing was measured.
  bool resumed = false;
};

/// Wall-clock seconds of the phases of one step. The time to replace lost workers is not included. `step` is the sum of
/// `compute_all`, `reduce` and `apply_all` plus the driver's own bookkeeping.
struct PhaseSeconds {
  double step = 0;  ///< time of the whole step
  /// From the first message of the step until the last worker has reported that its gradients are computed.
  double compute_all = 0;
  /// Time of the worker that needed the least time to add gradients, or of the driver if the driver adds them.
  double reduce = 0;
  /// From the end of `compute_all` until the last worker has updated its weights, minus `reduce`.
  double apply_all = 0;
  std::vector<double> compute;  ///< each worker's own time
  std::vector<double> apply;    ///< each worker's own time
  /// Each worker's own time until its samples were available; part of `compute`.
  std::vector<double> data = {};
};

/// Writes one line for each time, as `step()` does: a label, a space and the seconds. The members `compute` and `apply`
/// have one line for each worker, with the word "interior" in the label. `data` has one line for each worker that
/// waited 1 ms or longer for data.
std::ostream& operator<<(std::ostream& out, const PhaseSeconds& seconds);

/// The loss of a worker or node from which the run has recovered. On one machine the worker is replaced, or its shards
/// go to the other workers. A run that lost a node loads its newest checkpoint and repeats the steps since that
/// checkpoint.
struct Repair {
  int worker = -1;  ///< -1 for a node
  /// The place of the worker: "pid N", or the name of a node.
  std::string node = {};
  /// The phase of the step or call that noticed the loss.
  std::string phase = {};
  /// The reason, such as "a worker was lost: its process was ended by signal 9".
  std::string what = {};
  /// If true, the other workers have taken over the shards of the lost worker. If false, a new worker has them.
  bool redistributed = false;
  /// Seconds until all workers were available and all steps were repeated.
  double seconds = 0;
  /// Number of repeated steps.
  std::int64_t replayed = 0;
};

/// The state of periodic checkpoints after a step.
struct CheckpointReport {
  /// The newest checkpoint on disk. Empty before the first one.
  std::string path = {};
  /// The step of that checkpoint. -1 before the first one.
  std::int64_t step = -1;
  /// True if another checkpoint is being written.
  bool writing = false;
  /// Number of checkpoints that were due while the previous one was still being written.
  std::int64_t skipped = 0;
  /// Why the last checkpoint could not be written. Empty if it was written. After a failure the next checkpoint is
  /// written when it is due.
  std::string error = {};
  /// Seconds that this `step()` spent on checkpoints, in addition to PhaseSeconds::step.
  double seconds = 0;
};

/// The worker with the longest compute time of a step, if there are two or more workers.
struct Slowest {
  int worker = -1;     ///< -1 if there is only one worker
  double seconds = 0;  ///< the worker's own time in PhaseSeconds::compute
  double others = 0;   ///< median of the other workers' seconds

  /// Returns true if the worker took at least 1 ms, and more than twice the median of the other workers.
  bool stands_out() const { return worker >= 0 && seconds >= 0.001 && seconds > 2 * others; }
};

/// Writes one line if the worker stands out; otherwise nothing.
std::ostream& operator<<(std::ostream& out, const Slowest& slowest);

/// Staleness of the pushes of a step. The staleness of a push is the number of pushes of other workers that were
/// applied between this worker's fetch and its push.
struct Staleness {
  double mean = 0;                           ///< mean over the pushes
  std::int64_t largest = -1;                 ///< -1 if nothing was pushed
  std::vector<std::int64_t> histogram = {};  ///< number of pushes for each staleness, from 0 on
};

/// Fetches and pushes of one worker.
struct WorkerTraffic {
  int worker = -1;
  std::int64_t fetches = 0;
  std::int64_t pushes = 0;
  std::int64_t dropped = 0;  ///< pushes that exceeded Downpour::max_staleness
};

/// The work of asynchronous workers and parameter servers since the previous step.
struct AsynchronousReport {
  Staleness staleness = {};
  std::vector<WorkerTraffic> workers = {};  ///< the workers that fetched or pushed
  std::int64_t bytes_fetched = 0;
  std::int64_t bytes_pushed = 0;
  /// Why the file Downpour::record is incomplete. Empty if it is complete.
  std::string record_failure = {};
};

/// The work of local SGD in one step.
struct LocalReport {
  /// Steps of each shard since the previous mean. 0 with other algorithms.
  int steps = 0;
  /// Distance between the copies: the square root of the mean squared distance of a copy from the mean of all copies.
  double drift = 0;
};

/// Writes one line; nothing with other algorithms.
std::ostream& operator<<(std::ostream& out, const LocalReport& local);

/// Whether L-BFGS has ended, and why.
enum class LbfgsEnd : std::uint8_t {
  none,       ///< L-BFGS continues
  converged,  ///< no element of the gradient exceeds Lbfgs::tolerance
  /// No smaller loss was found, not even in the direction of the negative gradient, because the precision of floats is
  /// exhausted.
  no_descent,
  /// A line search used all its evaluations without success.
  budget,
};

/// Returns the enumerator's name, such as "no_descent".
const char* to_string(LbfgsEnd end);

/// The work of one step of L-BFGS. If L-BFGS has ended and `step_length` is 0, no step was made and the weights did not
/// change.
struct LbfgsReport {
  LbfgsEnd end = LbfgsEnd::none;
  int evaluations = 0;     ///< evaluations of the loss and its gradient
  double objective = 0;    ///< mean loss plus penalty at the new weights
  double step_length = 0;  ///< the move is the direction times this number
  /// Largest absolute value of the gradient's elements at the new weights.
  double largest = 0;
  /// Number of pairs (Lbfgs::history) from which the direction was computed. 0: the direction is the negative gradient.
  int pairs = 0;
  int portions = 0;     ///< computed portions in all evaluations, without backups
  int backups = 0;      ///< portions that a second worker computed, too
  int backups_won = 0;  ///< backups that finished first
};

/// Writes one line; nothing with other algorithms.
std::ostream& operator<<(std::ostream& out, const LbfgsReport& lbfgs);

/// The result of a committed step. A StepReport converts to `double`: the loss.
struct StepReport {
  /// Number of the step; the first is 1.
  std::int64_t step = 0;
  /// Mean loss over the samples, before the update.
  double loss = 0;
  /// The rate of tensors that are in no parameter group.
  double learning_rate = 0;
  /// L2 norm of the mean gradient before clipping, if GradientOptions::clip_norm is set. For lbfgs: the norm at the new
  /// weights, including the penalty. Otherwise 0.
  double gradient_norm = 0;
  std::int64_t samples = 0;  ///< samples of all shards
  /// Samples that the model classified correctly before the update (Loss::is_hit). -1: the loss does not count them.
  std::int64_t correct = -1;
  /// Samples that could not be read and were left out, if the data allows it (DataInfo::lacks).
  std::int64_t left_out_samples = 0;
  /// Gradient bytes that were copied after the model wrote them.
  std::int64_t bytes_copied = 0;
  /// Bytes copied between hosts and accelerators, in both directions, for the gradients of this step.
  std::int64_t bytes_over_bus = 0;
  /// Bytes sent between nodes, in all rounds of the exchange, by all nodes together.
  std::int64_t bytes_sent = 0;
  /// Bytes of the slabs of weights and optimizer state in one object store: that of this machine, or of each node.
  std::int64_t state_bytes = 0;
  /// The part of `state_bytes` that contains older versions of the state, which are still being read.
  std::int64_t pinned_bytes = 0;
  /// The name of Options::algorithm.
  std::string algorithm = {};
  /// The strategy that reduced the gradients; never `automatic` after a step.
  Strategy strategy = Strategy::automatic;
  /// True if gradients were added in the fixed order.
  bool deterministic = true;
  PhaseSeconds seconds = {};  ///< times of the phases
  Slowest slowest = {};       ///< the slowest worker
  /// The stragglers of this step, whose work other workers did. See FaultToleranceOptions::backup_workers.
  std::vector<int> left_out = {};
  /// Losses since the previous step. The lost work was repeated with the same result.
  std::vector<Repair> repairs = {};
  CheckpointReport checkpoint = {};  ///< the state of periodic checkpoints
  /// For downpour and ssp: the work since the previous step.
  AsynchronousReport asynchronous = {};
  /// For lbfgs. `loss` is then the loss of the new weights, and `samples` counts all evaluations.
  LbfgsReport lbfgs = {};
  /// For local. `step` and `samples` then count all steps of the call.
  LocalReport local = {};

  /// Returns the training accuracy: the fraction of samples that the model classified correctly. With lbfgs it covers
  /// all evaluations of the step. Returns an empty optional if the loss does not count correct samples.
  std::optional<double> accuracy() const {
    if (correct < 0 || samples == 0) return std::nullopt;
    return static_cast<double>(correct) / static_cast<double>(samples);
  }

  /// Returns the loss, as in `double loss = sgd.step()`.
  operator double() const { return loss; }  // NOLINT(google-explicit-constructor)
};

/// Precision, recall and F1 of one class. A ratio with a zero denominator is 0, as with scikit-learn's zero_division=0.
/// This concerns the precision of a class that was never predicted, the recall of a class without samples, and F1 if
/// both are 0.
struct ClassMetrics {
  /// Fraction of the samples predicted as this class that belong to it.
  double precision = 0;
  /// Fraction of this class's samples that were predicted as this class.
  double recall = 0;
  double f1 = 0;             ///< harmonic mean of precision and recall
  std::int64_t support = 0;  ///< samples of the class
};

/// The error of the outputs for one target.
struct TargetMetrics {
  double mse = 0;  ///< mean of (output - target)^2
  double mae = 0;  ///< mean of |output - target|
  /// Coefficient of determination: 1 - sum of (output - target)^2 / sum of (target - mean of the target)^2. If the
  /// target is constant: 1 if all outputs equal the target, else 0.
  double r2 = 0;
};

/// The value of a metric (see troupe/metric.hpp).
struct NamedMetric {
  std::string name;
  double value = 0;  ///< mean over the samples
};

/// The result of an evaluation of the current weights on the test or validation set. Members after `samples` are empty
/// if they were not requested or the model does not measure them.
struct Evaluation {
  double loss = 0;  ///< mean over the samples
  /// Fraction of samples that the model classified correctly; see Loss::is_hit.
  double accuracy = 0;
  std::int64_t samples = 0;

  int top_k = 0;  ///< the requested EvaluationOptions::top_k
  /// Fraction of samples with their class among the `top_k` largest outputs.
  std::optional<double> top_k_accuracy = {};
  /// Confusion matrix, row-major: samples by true class (row) and predicted class (column).
  std::vector<std::int64_t> confusion = {};
  /// Metrics of each class, from the confusion matrix.
  std::vector<ClassMetrics> classes = {};
  /// Means over the classes, including classes without samples. `support` is the sum.
  ClassMetrics macro = {};
  /// Empty if the data has none.
  std::vector<std::string> class_names = {};
  /// Errors of each target.
  std::vector<TargetMetrics> targets = {};
  /// Empty if the data has none.
  std::vector<std::string> target_names = {};
  /// Means over the targets. `r2` is computed from the sums over all targets.
  TargetMetrics all_targets = {};
  /// The values of ModelInfo::metrics; always measured.
  std::vector<NamedMetric> metrics = {};
};

}  // namespace troupe
