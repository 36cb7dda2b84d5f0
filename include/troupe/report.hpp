#pragma once

// Reports of steps and evaluations: the results of DistributedSGD::step and DistributedSGD::evaluate.

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "troupe/model.hpp"
#include "troupe/strategy.hpp"

namespace troupe {

/// The number format of a run, and the reason for its choice. The format is chosen once, for all workers. Workers that
/// join later, and runs that resume from checkpoints of this run, use the same format, because the result depends on
/// the format.
struct PrecisionChoice {
  Precision asked = Precision::f32;     ///< ComputeOptions::precision
  Precision computed = Precision::f32;  ///< the format that replicas use
  /// The measured times of the model's layers: for each format, those of the slowest worker.
  PrecisionSeconds measured = {};
  /// True if the run has resumed from a checkpoint and uses the format of the checkpoint, without measurements.
  bool resumed = false;
};

/// What it took to read data from servers.
struct RemoteTraffic {
  std::int64_t bytes = 0;       ///< bytes that were received
  std::int64_t requests = 0;    ///< requests that were made, including repeated ones
  std::int64_t retries = 0;     ///< requests that were repeated
  std::int64_t cache_hits = 0;  ///< parts of data that were read from the cache on disk instead

  RemoteTraffic& operator+=(const RemoteTraffic& other) {
    bytes += other.bytes;
    requests += other.requests;
    retries += other.retries;
    cache_hits += other.cache_hits;
    return *this;
  }
};

/// Wall-clock seconds of the phases of one step. The time to replace lost workers is not included. `step` is the sum of
/// `compute_all`, `reduce`, `apply_all` and the time of the driver's own bookkeeping.
struct PhaseSeconds {
  double step = 0;  ///< time of the whole step
  /// Time from the first message of the step until the last worker has reported that its gradients are computed.
  double compute_all = 0;
  /// Time to add gradients: that of the worker that needed the least time, or that of the driver if the driver adds
  /// them.
  double reduce = 0;
  /// Time from the end of `compute_all` until the last worker has updated its weights, minus `reduce`.
  double apply_all = 0;
  std::vector<double> compute;  ///< for each worker, the time in which it computed gradients
  std::vector<double> apply;    ///< for each worker, the time in which it updated weights
  /// For each worker, the time in which it waited for its samples. This time is a part of `compute`.
  std::vector<double> data = {};
};

/// Writes one line for each time, as DistributedSGD::step does: a label, a space and the seconds. For `compute` and
/// `apply`, each worker has a line, whose label contains the word "interior". For `data`, each worker that waited 1 ms
/// or longer for data has a line.
std::ostream& operator<<(std::ostream& out, const PhaseSeconds& seconds);

/// Describes the loss of a worker or node from which the run has recovered. A lost worker is replaced, or its shards
/// are given to the other workers. After the loss of a node, the run loads its newest checkpoint and repeats the steps
/// since that checkpoint.
struct Repair {
  int worker = -1;  ///< number of the lost worker; -1 if a node was lost
  /// The place of the lost worker: "pid N", or the name of the node.
  std::string node = {};
  /// The phase of the step or call in which the loss was noticed.
  std::string phase = {};
  /// The reason of the loss, such as "a worker was lost: its process was ended by signal 9".
  std::string what = {};
  /// If true, the other workers have taken over the shards of the lost worker. If false, a new worker has taken them
  /// over.
  bool redistributed = false;
  /// Seconds from the loss until all workers were available and all lost steps were repeated.
  double seconds = 0;
  /// Number of steps that were repeated.
  std::int64_t replayed = 0;
};

/// The state of periodic checkpoints after a step.
struct CheckpointReport {
  /// Path of the newest checkpoint on disk. Empty before the first checkpoint.
  std::string path = {};
  /// Number of the step of the newest checkpoint on disk. -1 before the first checkpoint.
  std::int64_t step = -1;
  /// True if another checkpoint is being written.
  bool writing = false;
  /// Number of checkpoints that were not written, because the previous checkpoint was still being written when they
  /// were due.
  std::int64_t skipped = 0;
  /// Why the last checkpoint could not be written. Empty if it was written. After such a failure, the run tries again
  /// when the next checkpoint is due.
  std::string error = {};
  /// Seconds that this `step()` spent on checkpoints, in addition to PhaseSeconds::step.
  double seconds = 0;
};

/// The state of the copies that the nodes of a cluster keep of each other's state, after a step. See
/// FaultToleranceOptions::copy_every.
struct CopyReport {
  /// Number of the step of the newest copy that all nodes have acknowledged. -1 before the first copy.
  std::int64_t step = -1;
  /// Bytes that all nodes together have sent after this step to make a copy.
  std::int64_t bytes_sent = 0;
  /// Bytes of memory that the copies use on the node where they use most.
  std::int64_t bytes = 0;
  /// Why the last copy could not be made. Empty if it was made.
  std::string error = {};
  /// Seconds that this `step()` spent on copies, in addition to PhaseSeconds::step.
  double seconds = 0;
  /// Names of the nodes that made the newest copy. Each node also keeps the copy of the node before it; the first node
  /// keeps that of the last.
  std::vector<std::string> ring = {};
};

/// The changes of the nodes of a cluster since the previous step, as the names in their certificates.
struct NodesReport {
  std::vector<std::string> joined = {};
  std::vector<std::string> left = {};  ///< nodes that were lost, or have left the run
};

/// The worker with the longest compute time in a step, compared with the other workers.
struct Slowest {
  int worker = -1;     ///< number of the worker; -1 if there is only one worker
  double seconds = 0;  ///< the worker's time in PhaseSeconds::compute
  double others = 0;   ///< median of the times of the other workers

  /// Returns true if the worker took at least 1 ms, and more than twice the median of the other workers.
  bool stands_out() const { return worker >= 0 && seconds >= 0.001 && seconds > 2 * others; }
};

/// Writes one line about the worker if `slowest.stands_out()` is true; otherwise writes nothing.
std::ostream& operator<<(std::ostream& out, const Slowest& slowest);

/// Staleness of the pushes of a step. The staleness of a push is the number of pushes of other workers that were
/// applied between the last fetch of this worker and its push.
struct Staleness {
  double mean = 0;                           ///< mean staleness of the pushes
  std::int64_t largest = -1;                 ///< largest staleness; -1 if nothing was pushed
  std::vector<std::int64_t> histogram = {};  ///< element s is the number of pushes with staleness s
};

/// The fetches and pushes of one worker since the previous step.
struct WorkerTraffic {
  int worker = -1;
  std::int64_t fetches = 0;
  std::int64_t pushes = 0;
  std::int64_t dropped = 0;  ///< pushes that were dropped, because their staleness exceeded Downpour::max_staleness
};

/// The work of asynchronous workers and parameter servers between the previous step and this step.
struct AsynchronousReport {
  Staleness staleness = {};
  std::vector<WorkerTraffic> workers = {};  ///< the workers that fetched or pushed
  std::int64_t bytes_fetched = 0;
  std::int64_t bytes_pushed = 0;
  /// Why the file Downpour::record is incomplete. Empty if the file is complete.
  std::string record_failure = {};
  /// The number of pushes whose effect was lost since the previous step, because a node was lost and the run continued
  /// from a copy of its state.
  std::int64_t lost_pushes = 0;
};

/// The work of local SGD in one call of DistributedSGD::step.
struct LocalReport {
  /// Number of steps that each shard has made since the copies were last replaced by their mean. 0 with other
  /// algorithms.
  int steps = 0;
  /// How far the copies of the weights have moved apart: the square root of the mean squared distance of a copy from
  /// the mean of all copies.
  double drift = 0;
};

/// Writes one line with `local.steps` and `local.drift`. Writes nothing if the algorithm is not local SGD.
std::ostream& operator<<(std::ostream& out, const LocalReport& local);

/// Whether L-BFGS has ended, and why.
enum class LbfgsEnd : std::uint8_t {
  none,       ///< L-BFGS continues
  converged,  ///< no element of the gradient exceeds Lbfgs::tolerance
  /// No smaller loss was found, not even in the direction of the negative gradient. The usual reason is that a smaller
  /// loss would differ by less than the precision of floats.
  no_descent,
  /// A line search used all its evaluations (Lbfgs::max_evaluations) without success.
  budget,
};

/// Returns the enumerator's name, such as "no_descent".
const char* to_string(LbfgsEnd end);

/// The work of L-BFGS in one call of DistributedSGD::step. If `end` is not `none` and `step_length` is 0, the weights
/// did not change in this call.
struct LbfgsReport {
  LbfgsEnd end = LbfgsEnd::none;
  int evaluations = 0;     ///< number of evaluations of the loss and its gradient
  double objective = 0;    ///< mean loss plus penalty at the new weights
  double step_length = 0;  ///< the weights moved by the direction times this number
  /// Largest absolute value of an element of the gradient at the new weights.
  double largest = 0;
  /// Number of pairs (see Lbfgs::history) from which the direction was computed. If 0, the direction is the negative
  /// gradient.
  int pairs = 0;
  int portions = 0;     ///< number of computed portions in all evaluations, without backups
  int backups = 0;      ///< number of portions that a second worker computed as well (Lbfgs::backup_portions)
  int backups_won = 0;  ///< number of portions for which the second worker finished first
};

/// Writes one line with the members of `lbfgs`. Writes nothing if the algorithm is not L-BFGS.
std::ostream& operator<<(std::ostream& out, const LbfgsReport& lbfgs);

/// The result of a committed step. A StepReport converts to `double`; the result is the loss.
struct StepReport {
  /// Number of the step, from 1 on.
  std::int64_t step = 0;
  /// Mean loss over the samples of the step, with the weights before the update.
  double loss = 0;
  /// The learning rate of tensors that are in no parameter group.
  double learning_rate = 0;
  /// L2 norm of the mean gradient before clipping, if GradientOptions::clip_norm is set; otherwise 0. With L-BFGS:
  /// always the norm of the gradient, including the penalty, at the new weights.
  double gradient_norm = 0;
  std::int64_t samples = 0;  ///< number of samples of all shards, or of their tokens if `unit` is "tokens"
  /// What `samples` and `correct` count (ModelInfo::unit).
  std::string unit = "samples";
  /// Number of samples that the model classified correctly before the update (Loss::is_hit). -1: the loss does not
  /// count correct samples.
  std::int64_t correct = -1;
  /// Number of samples that could not be read and were left out, if the data allows this (DataInfo::lacks).
  std::int64_t left_out_samples = 0;
  /// Bytes of gradients that were copied: by the model (BatchResult::bytes_copied), or after the model had written
  /// them.
  std::int64_t bytes_copied = 0;
  /// Bytes copied between hosts and accelerators, in both directions, for the gradients of this step.
  std::int64_t bytes_over_bus = 0;
  /// What the workers' processes have read from servers since the previous step.
  RemoteTraffic remote = {};
  /// Bytes sent between nodes, in all rounds of the exchange, by all nodes together.
  std::int64_t bytes_sent = 0;
  /// Bytes of the slabs for weights and optimizer state in one object store: the store of this machine, or that of each
  /// node.
  std::int64_t state_bytes = 0;
  /// The part of `state_bytes` for older versions of the state, which are kept because a reader, such as a checkpoint,
  /// still uses them.
  std::int64_t pinned_bytes = 0;
  /// The name of Options::algorithm.
  std::string algorithm = {};
  /// The strategy by which the gradients were reduced. After a step, its value is never `automatic`.
  Strategy strategy = Strategy::automatic;
  /// True if gradients were added in the fixed order (see GradientOptions::deterministic).
  bool deterministic = true;
  PhaseSeconds seconds = {};  ///< times of the phases
  Slowest slowest = {};       ///< the slowest worker
  /// The workers that were stragglers in this step, so that other workers computed their shards. See
  /// FaultToleranceOptions::backup_workers.
  std::vector<int> left_out = {};
  /// The losses of workers and nodes since the previous step. The lost work was repeated with the same result.
  std::vector<Repair> repairs = {};
  CheckpointReport checkpoint = {};  ///< the state of periodic checkpoints
  NodesReport nodes = {};            ///< in a cluster: the nodes that have joined or left
  CopyReport copies = {};            ///< in a cluster: the state of the copies that nodes keep of each other's state
  /// With Downpour or Ssp: the work since the previous step.
  AsynchronousReport asynchronous = {};
  /// With Lbfgs: the work of this step. `loss` is then the loss of the new weights, and `samples` counts the samples of
  /// all evaluations.
  LbfgsReport lbfgs = {};
  /// With LocalSgd: the work of this call. `step` then counts the steps of a shard, and `samples` counts the samples of
  /// all steps of the call.
  LocalReport local = {};

  /// Returns the training accuracy: the fraction of the samples of this step that the model classified correctly. With
  /// L-BFGS, these are the samples of all evaluations of the step. Returns an empty optional if the loss does not count
  /// correct samples.
  std::optional<double> accuracy() const {
    if (correct < 0 || samples == 0) return std::nullopt;
    return static_cast<double>(correct) / static_cast<double>(samples);
  }

  /// Returns the loss, as in `double loss = sgd.step()`.
  operator double() const { return loss; }  // NOLINT(google-explicit-constructor)
};

/// Precision, recall and F1 of one class. If the denominator of a ratio is zero, the ratio is 0, as with scikit-learn's
/// zero_division=0. The denominator is zero for the precision of a class that was never predicted, for the recall of a
/// class without samples, and for F1 if precision and recall are 0.
struct ClassMetrics {
  /// The fraction of correct predictions among the samples that were predicted as this class.
  double precision = 0;
  /// The fraction of this class's samples that were predicted as this class.
  double recall = 0;
  double f1 = 0;             ///< harmonic mean of precision and recall
  std::int64_t support = 0;  ///< number of samples of the class
};

/// The errors of the outputs for one target, over all samples of an evaluation.
struct TargetMetrics {
  double mse = 0;  ///< mean of (output - target)^2
  double mae = 0;  ///< mean of |output - target|
  /// Coefficient of determination: 1 - (sum of (output - target)^2) / (sum of (target - mean of the target)^2). If the
  /// target has the same value in all samples, `r2` is 1 if all outputs equal the target, else 0.
  double r2 = 0;
};

/// Name and value of a metric (see troupe/metric.hpp) in an evaluation.
struct NamedMetric {
  std::string name;
  double value = 0;  ///< mean of the metric over the samples
};

/// The result of an evaluation of the current weights on the test or validation set. A member after `samples` is empty
/// if it was not requested (EvaluationOptions) or the model does not support it.
struct Evaluation {
  double loss = 0;  ///< mean loss over the samples
  /// Fraction of samples that the model classified correctly; see Loss::is_hit.
  double accuracy = 0;
  std::int64_t samples = 0;
  /// What `samples` counts (ModelInfo::unit). The loss and the accuracy are means over these.
  std::string unit = "samples";

  /// Returns the perplexity, e^loss, if the model predicts tokens.
  std::optional<double> perplexity() const {
    if (unit != "tokens") return std::nullopt;
    return std::exp(loss);
  }

  int top_k = 0;  ///< the requested EvaluationOptions::top_k
  /// Fraction of the samples whose class is among the `top_k` largest outputs.
  std::optional<double> top_k_accuracy = {};
  /// Confusion matrix, row-major: number of samples for each true class (row) and predicted class (column).
  std::vector<std::int64_t> confusion = {};
  /// Precision, recall and F1 of each class, computed from the confusion matrix.
  std::vector<ClassMetrics> classes = {};
  /// Means of the elements of `classes`, including classes without samples. `macro.support` is the sum instead.
  ClassMetrics macro = {};
  /// Names of the classes. Empty if the data has no names of classes.
  std::vector<std::string> class_names = {};
  /// Errors of the outputs, one element for each target.
  std::vector<TargetMetrics> targets = {};
  /// Names of the targets. Empty if the data has no names of targets.
  std::vector<std::string> target_names = {};
  /// Means of the elements of `targets`. `all_targets.r2` is computed from the sums over all targets instead.
  TargetMetrics all_targets = {};
  /// The values of the metrics ModelInfo::metrics. Measured in each evaluation.
  std::vector<NamedMetric> metrics = {};
};

}  // namespace troupe
