#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/trainer.hpp"

/// A search for hyperparameters over the function that trains: each trial is a process of its own, with its own cores
/// and its own values. As in Ray Tune.
namespace troupe::tune {

// What a value is drawn from. A space is an object of such and of plain values, nested as configs are; it is JSON, so
// that a file may hold it: {"lr": {"loguniform": [1e-4, 1]}, "model": {"choice": ["mlp", "cnn"]}, "momentum": 0.9}.

/// [low, high).
Json uniform(double low, double high);
/// Likewise, uniform in the logarithm; low is above 0.
Json loguniform(double low, double high);
/// Multiples of `step` nearest to what is uniform in [low, high].
Json quniform(double low, double high, double step);
/// Whole numbers in [low, high).
Json randint(std::int64_t low, std::int64_t high);
/// One of these values.
Json choice(const std::vector<Json>& values);
/// Each of these values: as many trials, and of several grids all combinations.
Json grid(const std::vector<Json>& values);

/// What each trial runs: a registered function, on workers of its own.
struct Trainable {
  std::string function;
  // Of {} GCC 12 warns in users' code, falsely.
  TrainerOptions workers = TrainerOptions();  ///< placement in_process or processes; unless told otherwise one, with
                                              ///< all the trial's cores
  RunDatasets dataset = {};                   ///< by names; {KEY} in one becomes that value of the trial's config
  ReportOptions reports = ReportOptions();
  int keep_checkpoints = 1;  ///< of those that the function saves, in the trial's folder
  Json config = {};          ///< what the function is given besides the trial's own values
};

enum class SchedulerKind : std::uint8_t {
  fifo,    ///< each trial runs to its end
  asha,    ///< the worst are ended early: asynchronous successive halving (Li et al. 2018), as Ray has it
  median,  ///< who is worse than the median of the others is ended (Golovin et al. 2017, Vizier)
};

/// When trials are ended before their time. Iterations are reports of a trial.
struct Scheduler {
  SchedulerKind kind = SchedulerKind::fifo;
  std::int64_t max_iterations = 0;  ///< who reports once more is ended, and is done; 0: never. asha needs to know
  std::int64_t grace = 1;           ///< no trial is ended before so many
  double reduction = 4;             ///< of asha: one in so many goes on, at `grace` times its powers
  int least_trials = 3;             ///< of median: so many others have come as far
};
Scheduler fifo();
Scheduler asha(std::int64_t max_iterations, std::int64_t grace = 1, double reduction = 4);
Scheduler median_stopping(std::int64_t grace = 1, int least_trials = 3);

enum class TrialState : std::uint8_t {
  waiting,  ///< has not begun, or is to begin again
  running,
  done,
  stopped,  ///< by the scheduler
  failed,
};
const char* to_string(TrialState state);

/// One set of values, and what came of it.
struct Trial {
  int number = 0;  ///< from 1 on
  Json config = {};
  TrialState state = TrialState::waiting;
  std::vector<Report> reports = {};
  Json result = {};             ///< what rank 0 of the function returned
  std::string error = {};       ///< of a trial that failed
  std::string checkpoint = {};  ///< the folder of the last one; empty: there is none
  int attempts = 0;             ///< processes that were started for it
  double seconds = 0;           ///< that its last process ran
};

/// What a search is told of each trial.
struct Resources {
  int cpus = 0;            ///< cores, which are the trial's alone; 0: as many as the workers need, or there are
  std::size_t memory = 0;  ///< bytes of its own that each of its processes may take; 0: what there is
};

/// Draws the next trial's config, from what all trials so far came to; none ends the search. Trials may be running.
using Suggest = std::function<std::optional<Json>(std::span<const Trial> trials)>;

struct Options {
  Json space = {};
  int num_samples = 1;   ///< draws; with grids each of all combinations
  Suggest suggest = {};  ///< in place of space and num_samples
  int concurrent = 0;    ///< trials at once, at most; 0: as many as there are cores for
  Resources resources_per_trial = {};
  Scheduler scheduler = {};
  std::string metric = "loss";  ///< by which trials are compared: of the last that has it
  Better better = Better::lower;
  std::uint64_t seed = 1;   ///< of what is drawn: trial n's values are a function of seed and n
  std::string folder = {};  ///< which keeps all of it; empty: a temporary one, gone with the analysis
  bool resume = false;      ///< goes on with the search in the folder; begins where there is none
  int max_failures = 3;     ///< processes of a trial that may be lost, each of which is followed by another
  /// A trial that reports nothing for so long hangs: its process is killed, and lost. 0: never.
  std::chrono::milliseconds report_timeout = std::chrono::minutes(30);
  /// A trial that is ended before its time (by the scheduler, max_iterations or `should_stop`) is asked to by SIGTERM,
  /// which ends a process that does not handle it, and killed after so long.
  std::chrono::milliseconds end_timeout = std::chrono::seconds(10);
  /// Is told of each change of a trial's state, and of each report. What it throws ends the search.
  std::function<void(const Trial&)> on_change = {};
  /// Asked now and then; once it is true, trials are ended, to be gone on with by `resume`.
  std::function<bool()> should_stop = {};
};

/// What a search found.
class Analysis {
 public:
  class Impl;
  explicit Analysis(std::shared_ptr<const Impl> impl);

  /// In order of their numbers.
  const std::vector<Trial>& trials() const;
  /// The best first; then those without the metric, and those that failed.
  std::vector<const Trial*> ranked() const;
  /// By the last value of the metric, of those that did not fail. @throws Error bad_data where none has that metric,
  /// which says what there is
  const Trial& best() const;
  /// False where `should_stop` ended it.
  bool is_complete() const;
  const std::string& folder() const;
  /// Of one trial: what its process printed (`output.txt`), its reports, and its own files (`trial_folder`).
  std::string folder_of(const Trial& trial) const;
  /// All reports of all trials as JSON lines. @throws Error bad_file
  void write_reports(const std::string& path) const;

  /// By which trials were compared.
  const std::string& metric() const;

 private:
  std::shared_ptr<const Impl> impl_;
};
/// A table, a line for each trial, the best ones first.
std::ostream& operator<<(std::ostream& out, const Analysis& analysis);

/// Runs trials until all have ended. A trial that throws has failed, and the others go on. One that is lost (killed, or
/// silent) is begun again from its function's last checkpoint.
/// @throws Error invalid_argument before anything starts: for a space that makes no sense, a function that nobody
/// registered, more cores than there are, a folder of another search; in_use for a folder in which a search runs;
/// bad_file for a folder that cannot be written; unsupported in a child that a callback of the search has forked
Analysis run(const Trainable& trainable, const Options& options);

/// The same as `here().report`: in a trial its reports are the search's.
inline void report(const Json& metrics) { here().report(metrics); }
/// Of the trial that this process, or the one whose worker it is, belongs to: a place for files. Empty outside of
/// trials.
std::string trial_folder();
/// Of that trial: after how many reports it is ended (`Scheduler::max_iterations`). 0: none, or no trial.
std::int64_t most_reports();
/// For a trainer that a trial's function makes itself: hands its reports on.
std::shared_ptr<Callback> pass_on();

}  // namespace troupe::tune
