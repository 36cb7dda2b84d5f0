#pragma once

// Callbacks: objects that observe a run. `troupe::callbacks` has ready-made ones.
//
//    options.callbacks = {troupe::callbacks::progress(), troupe::callbacks::csv("loss.csv")};

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/json.hpp"

namespace troupe {

/// The start of a run: the argument of Callback::on_start.
struct RunStart {
  /// In a run of Trainer: the registered name of its function, or "a function" if the function was passed by value. In
  /// a run of DistributedSGD: "step".
  std::string name = {};
  /// Number of ranks. In a run of DistributedSGD: number of workers.
  int world_size = 1;
  /// The config that was passed to the function. In a run of DistributedSGD: Options::config.
  Json config = {};
  /// 1 when the function is called for the first time. The number increases with each call that a loss of workers
  /// causes.
  int attempt = 1;
  /// True if the run resumes from a checkpoint of an earlier run.
  bool resumed = false;
};

/// One report of a run: the argument of Callback::on_report.
struct Report {
  /// Number of reports that each rank has made so far, including this report. A resumed run continues to count from the
  /// iteration of its checkpoint. In a run of DistributedSGD: the number of the step.
  std::int64_t iteration = 0;
  /// Seconds since the start of the run.
  double seconds = 0;
  /// A JSON object. Each value is one metric, combined from the reports of all ranks according to
  /// ReportOptions::aggregate.
  Json metrics = {};
};

/// A checkpoint that all ranks have acknowledged: the argument of Callback::on_checkpoint.
struct CheckpointInfo {
  /// Number of the checkpoint within the run, from 1 on. In a run of DistributedSGD: the number of the step.
  std::int64_t number = 0;
  /// The folder of the checkpoint. Empty if the checkpoint is in memory only.
  std::string path = {};
  /// The iteration (Report::iteration) after which the checkpoint was saved. It may be lower than the iteration of the
  /// last report.
  std::int64_t iteration = 0;
};

/// The end of a run: the argument of Callback::on_end.
struct RunEnd {
  double seconds = 0;           ///< seconds since the start of the run
  std::int64_t iterations = 0;  ///< the last Report::iteration
  bool failed = false;          ///< if true, on_failure was called before
};

/// Base class of callbacks, which observe a run. All functions are called in the thread that drives the run. If a
/// callback throws, the run ends and the exception propagates to the caller. In a run of DistributedSGD, the rules of
/// Options::callbacks apply instead. If the run has failed, or its RunHandle is destroyed before its end, exceptions of
/// callbacks are only logged.
class Callback {
 public:
  Callback() = default;
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  virtual ~Callback() = default;

  /// Called when a run starts, and each time the run calls the function again after a loss of workers.
  virtual void on_start(const RunStart& /*run*/) {}
  /// Called for each report.
  virtual void on_report(const Report& /*report*/) {}
  /// Called at the end of an epoch, with the last report of that epoch. In a run of Trainer, an epoch ends when the
  /// value of the metric "epoch" increases from one report to the next, or when the run ends.
  virtual void on_epoch(const Report& /*last*/) {}
  /// Called for each checkpoint, once the checkpoint is stored.
  virtual void on_checkpoint(const CheckpointInfo& /*checkpoint*/) {}
  /// Called for an error. If `goes_on` is true, the run continues after the error, for example after the loss of a
  /// worker. If `goes_on` is false, the error ends the call or the run.
  virtual void on_failure(const Error& /*error*/, bool /*goes_on*/) {}
  /// Called once, when the run ends.
  virtual void on_end(const RunEnd& /*end*/) {}

  /// Called after each report. Returns true to stop the run early: TaskContext::should_stop then returns true on all
  /// ranks, and so does DistributedSGD::should_stop. Default: false.
  virtual bool wants_to_stop() const { return false; }
};

/// The callbacks of a run. They are called in the order of this list.
using Callbacks = std::vector<std::shared_ptr<Callback>>;

/// The direction in which a metric improves: `lower` if smaller values are better, `higher` if larger values are
/// better.
enum class Better : std::uint8_t { lower, higher };

/// Ready-made callbacks. A callback that writes a file creates the file in `on_start`. If the file exists, it is
/// emptied. But if the run is resumed, or its function is called again, the callback appends to the file. Iterations
/// that the run repeats then appear twice. When `on_report` returns, the whole report has been passed to the operating
/// system. If the disk is full, an incomplete record is removed from the file.
///
/// If a file cannot be written, `on_start` or a later call throws an Error bad_file that names the file. If a callback
/// must append to a file that is not a log of the same kind, `on_start` throws Error bad_file and does not change the
/// file. If another run writes to the file, `on_start` throws Error in_use.
namespace callbacks {

/// Returns a callback that prints a line to standard output for each report, at most ten lines per second, and a line
/// at the end.
std::shared_ptr<Callback> progress();
/// Returns a callback that writes a CSV file with the columns iteration, seconds, and one column for each metric. If a
/// report does not contain a metric, the field of the metric is empty. If a later report contains new metrics, the file
/// is rewritten with new columns at the end. The file cannot be rewritten if `path` is a pipe, a device or standard
/// output, or if the file was moved during the run. New metrics are then left out. Metrics with the names "iteration"
/// and "seconds" have the columns "metric_iteration" and "metric_seconds".
std::shared_ptr<Callback> csv(const std::string& path);
/// Returns a callback that writes one JSON object per line for the start, each report, each checkpoint, each failure
/// and the end.
std::shared_ptr<Callback> json_lines(const std::string& path);
/// Returns a callback that writes an event file for TensorBoard into `folder`. The file contains one scalar for each
/// metric that is a number.
std::shared_ptr<Callback> tensorboard(const std::string& folder);

/// Options of `early_stopping`.
struct EarlyStopping {
  std::string metric = "loss";    ///< the metric to watch
  Better better = Better::lower;  ///< the direction in which the metric improves
  /// The run is stopped after this many consecutive reports of the metric without an improvement. At least 1.
  int patience = 5;
  /// Minimum difference from the best value so far that counts as an improvement. At least 0.
  double least = 0;
};
/// Returns a callback that stops a run when its metric no longer improves. NaN and values that are not numbers count as
/// no improvement.
/// @throws Error invalid_argument if `patience` is below 1 or `least` is negative.
std::shared_ptr<Callback> early_stopping(const EarlyStopping& options);

/// Options of `best_checkpoint`.
struct BestCheckpoint {
  std::string path = {};          ///< folder for the copy of the best checkpoint; must not be empty
  std::string metric = "loss";    ///< the metric to watch
  Better better = Better::lower;  ///< the direction in which the metric improves
};
/// Returns a callback that keeps a copy of the best checkpoint in the folder `path`. The value of a checkpoint is the
/// last report of the metric up to the checkpoint's iteration. The copy also contains `best.json` with this value, so
/// that a resumed run can compare new checkpoints with the copy. The copy appears at `path` atomically. `path` must be
/// a path that does not exist yet, an empty folder, or an earlier copy, which is replaced. A checkpoint must not be
/// deleted before it is copied, so the run must keep at least two checkpoints.
/// @throws Error invalid_argument if `path` is empty, or (in `on_checkpoint`) if checkpoints have no folder.
/// @throws Error bad_file (in `on_start`) if the copy cannot be placed at `path`, or (later) if the copy cannot be
/// written.
std::shared_ptr<Callback> best_checkpoint(const BestCheckpoint& options);

/// Returns the callbacks that `text` describes. `text` is the argument of `troupe train --log`: "csv:FILE",
/// "json:FILE", "tensorboard:FOLDER" and "progress", separated by commas. Paths cannot contain commas.
/// @throws Error invalid_argument for any other text; the message lists the valid forms.
Callbacks from_text(const std::string& text);

}  // namespace callbacks

}  // namespace troupe
