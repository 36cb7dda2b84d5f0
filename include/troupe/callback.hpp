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

/// The start of a run, for Callback::on_start.
struct RunStart {
  /// The registered name of the function, "a function" for a function by value, or "step" for a DistributedSGD.
  std::string name = {};
  /// Number of ranks. For a DistributedSGD: number of workers.
  int world_size = 1;
  /// The config of the function. For a DistributedSGD: Options::config.
  Json config = {};
  /// 1 for the first call of the function; higher after a loss of workers.
  int attempt = 1;
  /// True if the run resumes from a checkpoint of an earlier run.
  bool resumed = false;
};

/// One report of a run, for Callback::on_report.
struct Report {
  /// Number of reports that each rank has made so far, including this report. A resumed run continues to count from the
  /// checkpoint's iteration. For a DistributedSGD: the step.
  std::int64_t iteration = 0;
  /// Seconds since the start of the run.
  double seconds = 0;
  /// An object with the metrics of all ranks, combined according to Aggregate.
  Json metrics = {};
};

/// A checkpoint that all ranks have acknowledged, for Callback::on_checkpoint.
struct CheckpointInfo {
  /// Number of the checkpoint within the run, from 1 on. For a DistributedSGD: the step.
  std::int64_t number = 0;
  /// The folder of the checkpoint. Empty if the checkpoint is in memory only.
  std::string path = {};
  /// The checkpoint contains the state after this iteration (Report::iteration), which may be older than the last
  /// report.
  std::int64_t iteration = 0;
};

/// The end of a run, for Callback::on_end.
struct RunEnd {
  double seconds = 0;           ///< seconds since the start of the run
  std::int64_t iterations = 0;  ///< the last Report::iteration
  bool failed = false;          ///< if true, on_failure was called before
};

/// Observes a run. All functions are called in the thread that drives the run. An exception that a callback throws ends
/// the run and propagates to the caller; for a DistributedSGD see Options::callbacks. If the run has failed, or its
/// RunHandle is destroyed before its end, exceptions of callbacks are only logged.
class Callback {
 public:
  Callback() = default;
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  virtual ~Callback() = default;

  /// Called when a run starts, and again for each later attempt.
  virtual void on_start(const RunStart& /*run*/) {}
  /// Called for each report.
  virtual void on_report(const Report& /*report*/) {}
  /// Called at the end of an epoch, with the last report of that epoch. For functions, an epoch ends when the metric
  /// "epoch" of the reports increases, or when the run ends.
  virtual void on_epoch(const Report& /*last*/) {}
  /// Called for each checkpoint once it is stored.
  virtual void on_checkpoint(const CheckpointInfo& /*checkpoint*/) {}
  /// Called for an error. If `goes_on` is true, the run continues after it, such as after a lost worker; otherwise the
  /// error ends the call or the run.
  virtual void on_failure(const Error& /*error*/, bool /*goes_on*/) {}
  /// Called once, when the run ends.
  virtual void on_end(const RunEnd& /*end*/) {}

  /// Returns true to stop the run early: TaskContext::should_stop is then true on all ranks, and so is
  /// DistributedSGD::should_stop. Called after each report. Default: false.
  virtual bool wants_to_stop() const { return false; }
};

/// The callbacks of a run, called in this order.
using Callbacks = std::vector<std::shared_ptr<Callback>>;

/// The direction in which a metric improves.
enum class Better : std::uint8_t { lower, higher };

/// Ready-made callbacks. Callbacks that write a file create the file in `on_start`; an existing file is emptied. If the
/// run is resumed or its function is called again, they append to the file; repeated iterations then appear twice. When
/// `on_report` returns, the whole report has been passed to the operating system. If the disk is full, an incomplete
/// record is removed from the file.
///
/// If a file cannot be written, `on_start` or a later call throws an Error bad_file that names the file. If a callback
/// must append to a file that is not a log of the same kind, `on_start` throws Error bad_file and does not change the
/// file. If another run writes to the file, `on_start` throws Error in_use.
namespace callbacks {

/// Prints a line to standard output for each report, at most ten per second, and a line at the end.
std::shared_ptr<Callback> progress();
/// Writes a CSV file with the columns iteration, seconds, and one for each metric. A value that a report lacks is
/// empty. If a later report has new metrics, the file is rewritten with new columns at the end. The file cannot be
/// rewritten if the path is a pipe, a device or standard output, or if the file was moved during the run. New metrics
/// are then left out. Metrics with the names "iteration" and "seconds" have the columns "metric_iteration" and
/// "metric_seconds".
std::shared_ptr<Callback> csv(const std::string& path);
/// Writes one JSON object per line for the start, each report, each checkpoint, each failure and the end.
std::shared_ptr<Callback> json_lines(const std::string& path);
/// Writes an event file for TensorBoard into this folder: one scalar for each metric that is a number.
std::shared_ptr<Callback> tensorboard(const std::string& folder);

/// Options of `early_stopping`.
struct EarlyStopping {
  std::string metric = "loss";    ///< the metric to watch
  Better better = Better::lower;  ///< the direction in which the metric improves
  /// Stops the run after this many reports of the metric without an improvement. At least 1.
  int patience = 5;
  /// Minimum difference from the best value so far that counts as an improvement. At least 0.
  double least = 0;
};
/// Stops a run when its metric no longer improves. NaN and values that are not numbers count as no improvement.
/// @throws Error invalid_argument if `patience` is below 1 or `least` is negative.
std::shared_ptr<Callback> early_stopping(const EarlyStopping& options);

/// Options of `best_checkpoint`.
struct BestCheckpoint {
  std::string path = {};          ///< the folder of the copy; it must not be empty
  std::string metric = "loss";    ///< the metric to watch
  Better better = Better::lower;  ///< the direction in which the metric improves
};
/// Keeps a copy of the best checkpoint. The value of a checkpoint is the last report of the metric up to the
/// checkpoint's iteration. The copy also contains `best.json` with that value, so that a resumed run can compare new
/// checkpoints with it. The copy appears at `path` as a whole. `path` must not exist yet, or be an empty folder, or be
/// an earlier copy, which is replaced. A checkpoint must not be deleted before it is copied, so the run must keep at
/// least two checkpoints.
/// @throws Error invalid_argument if checkpoints have no folder (from `on_checkpoint`), or `path` is empty.
/// @throws Error bad_file if the copy cannot be placed at `path` (from `on_start`) or cannot be written.
std::shared_ptr<Callback> best_checkpoint(const BestCheckpoint& options);

/// Makes callbacks from the argument of `troupe train --log`: "csv:FILE", "json:FILE", "tensorboard:FOLDER" and
/// "progress", separated by commas. Paths cannot contain commas.
/// @throws Error invalid_argument for any other text; the message lists the valid forms.
Callbacks from_text(const std::string& text);

}  // namespace callbacks

}  // namespace troupe
