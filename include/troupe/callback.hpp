#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "troupe/error.hpp"
#include "troupe/json.hpp"

namespace troupe {

/// A run that begins.
struct RunStart {
  std::string name = {};  ///< of the function, "a function" of one by value, or "step" of a DistributedSGD
  int world_size = 1;     ///< ranks; workers of a DistributedSGD
  Json config = {};       ///< what the function is given
  int attempt = 1;        ///< 2 and so on where the function is called again after a loss
  bool resumed = false;   ///< from a checkpoint of a run before this one
};

/// One line of what a run has reported.
struct Report {
  std::int64_t iteration = 0;  ///< how often each rank has reported, from 1 on, a resumed run on from its
                               ///< checkpoint's; the step of a DistributedSGD
  double seconds = 0;          ///< since the run began
  Json metrics = {};           ///< an object: of all ranks together, as Aggregate says
};

/// A checkpoint that all ranks have acknowledged.
struct CheckpointInfo {
  std::int64_t number = 0;  ///< of the run's checkpoints, from 1 on; the step of a DistributedSGD
  std::string path = {};    ///< its folder; empty where it is kept in memory alone
  /// It is of what had been reported up to this one (Report::iteration), which may be before the last report.
  std::int64_t iteration = 0;
};

struct RunEnd {
  double seconds = 0;
  std::int64_t iterations = 0;
  bool failed = false;  ///< on_failure has told of it
};

/// Is told what happens in a run, in the thread of whoever runs it. What it throws ends the run, and comes out of it;
/// of a DistributedSGD see Options::callbacks. A run that has failed has its own error: what a callback throws when it
/// hears of that, or of the end of a run that nobody follows any more, is told in the log.
class Callback {
 public:
  Callback() = default;
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;
  virtual ~Callback() = default;

  virtual void on_start(const RunStart& /*run*/) {}
  virtual void on_report(const Report& /*report*/) {}
  /// An epoch is over: of reports with a metric "epoch", that has become larger. It is told the last report
  /// of that epoch.
  virtual void on_epoch(const Report& /*last*/) {}
  virtual void on_checkpoint(const CheckpointInfo& /*checkpoint*/) {}
  /// What ends the run, or what it goes on after (a lost worker whose function is called again).
  virtual void on_failure(const Error& /*error*/, bool /*goes_on*/) {}
  virtual void on_end(const RunEnd& /*end*/) {}

  /// Whether it has seen enough: then TaskContext::should_stop is true on all ranks. Asked after each report.
  virtual bool wants_to_stop() const { return false; }
};

using Callbacks = std::vector<std::shared_ptr<Callback>>;

/// Which of two values of a metric is better.
enum class Better : std::uint8_t { lower, higher };

/// Ready-made callbacks. Those that write files begin them with a run, and go on in them where it is resumed or its
/// function is called again: what is done again stands there twice. They throw Error bad_file naming the file, from
/// `on_start` on, also for one to go on in that is no such log, which stays as it is; and all that a report says is
/// with the system when `on_report` returns. What a full disk cannot take whole is not in the file.
namespace callbacks {

/// A line on standard output for each report, at most ten a second, and one at the end.
std::shared_ptr<Callback> progress();
/// A CSV file: iteration, seconds, and a column for each metric; what a report lacks is empty. For metrics that come
/// with a later report the file is written anew, with columns more at its end; a pipe, a device, standard output and a
/// file that was moved away do without them. A metric named as a column before is "metric_iteration" or
/// "metric_seconds".
std::shared_ptr<Callback> csv(const std::string& path);
/// A JSON object a line, for start, reports, checkpoints, failures and the end.
std::shared_ptr<Callback> json_lines(const std::string& path);
/// A file of events in this folder, as TensorBoard reads it: a scalar for each metric that is a number.
std::shared_ptr<Callback> tensorboard(const std::string& folder);

struct EarlyStopping {
  std::string metric = "loss";
  Better better = Better::lower;
  int patience = 5;  ///< reports of the metric without an improvement, after which the run is to stop
  double least = 0;  ///< what an improvement must exceed
};
/// NaN, and what is no number, is no improvement. @throws Error invalid_argument for a patience below 1 or a negative
/// least
std::shared_ptr<Callback> early_stopping(const EarlyStopping& options);

/// Keeps a copy of the checkpoint of which the last report of the metric up to its iteration was best, with `best.json`
/// beside what it holds, by which a resumed run compares. The copy appears whole, in the place of none, of an empty
/// folder or of such a copy. The run's own checkpoints have to stay until they are copied: two or more are to be kept.
struct BestCheckpoint {
  std::string path = {};  ///< the folder that becomes the copy
  std::string metric = "loss";
  Better better = Better::lower;
};
/// @throws Error invalid_argument where checkpoints have no folder; on_start bad_file where the copy can have no place
std::shared_ptr<Callback> best_checkpoint(const BestCheckpoint& options);

/// What `troupe train --log` takes: "csv:FILE", "json:FILE", "tensorboard:FOLDER", "progress", with commas between,
/// which paths cannot hold.
/// @throws Error invalid_argument that lists what there is
Callbacks from_text(const std::string& text);

}  // namespace callbacks

}  // namespace troupe
