#pragma once

// Search for hyperparameters: runs a training function many times with different values of its options. The design
// follows Ray Tune.
//
//    namespace tune = troupe::tune;
//    auto found = tune::run({.function = "train"}, {.space = {{"lr", tune::loguniform(1e-4, 1)}}, .num_samples = 12});
//    std::cout << found.best().config << '\n';

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

/// Search for hyperparameters. Each trial runs a function once, with one config, in a process of its own with its own
/// cores.
///
/// A **space** describes how the configs of trials are drawn. It is a JSON object with the structure of a config. In
/// place of each value of the config, it has a distribution or a constant: {"lr": {"loguniform": [1e-4, 1]}, "model":
/// {"choice": ["mlp", "cnn"]}, "momentum": 0.9}. So a file can contain a space. The functions from `uniform` to `grid`
/// below return distributions as JSON. tune::run throws Error invalid_argument for a distribution that is not valid.
namespace troupe::tune {

/// Returns a distribution of numbers that is uniform in [low, high).
Json uniform(double low, double high);
/// Returns a distribution of numbers in [low, high) whose logarithm is uniform. `low` must be above 0.
Json loguniform(double low, double high);
/// Returns a distribution of the multiples of `step` in [low, high]. A number is drawn uniformly from [low, high] and
/// rounded to the nearest of these multiples.
Json quniform(double low, double high, double step);
/// Returns a distribution of integers that is uniform in [low, high).
Json randint(std::int64_t low, std::int64_t high);
/// Returns a distribution that draws one of `values`, each with the same probability.
Json choice(const std::vector<Json>& values);
/// Returns a grid: the search uses each of `values` once, instead of drawing one. If a space has several grids, the
/// search uses all combinations of their values.
Json grid(const std::vector<Json>& values);

/// The function that each trial runs, and its workers.
struct Trainable {
  std::string function;  ///< name of a registered function; see register_function
  /// The workers of each trial; their placement is in_process or processes. Default: one worker with all cores of the
  /// trial.
  TrainerOptions workers = TrainerOptions();  // with {} GCC 12 gives a false warning in user code
  /// Data by name. In the name, "{KEY}" is replaced by the value of KEY in the trial's config.
  RunDatasets dataset = {};
  /// How the reports of ranks are combined.
  ReportOptions reports = ReportOptions();
  /// Number of newest checkpoints of the function to keep in the trial's folder; at least 1.
  int keep_checkpoints = 1;
  /// A JSON object of values that are added to the config of every trial.
  Json config = {};
};

/// Which trials are stopped early.
enum class SchedulerKind : std::uint8_t {
  fifo,  ///< every trial runs to its end
  /// Stops the worst trials early by asynchronous successive halving (Li et al. 2018), like Ray Tune.
  asha,
  /// Stops a trial if its best value so far is worse than the median of the averages of the other trials. The average
  /// of a trial is that of its values up to the same iteration (Golovin et al. 2017, Vizier).
  median,
};

/// Options of the scheduler, which stops trials early. An iteration is one report of a trial.
struct Scheduler {
  SchedulerKind kind = SchedulerKind::fifo;
  /// Maximum number of reports of a trial. After this number of reports, the trial is stopped and counts as done.
  /// Required for asha. 0 (default): no limit.
  std::int64_t max_iterations = 0;
  /// Number of the report from which on a trial may be stopped early; at least 1.
  std::int64_t grace = 1;
  /// For asha: trials are compared at certain iterations, called rungs. The rungs are at `grace` times the powers of
  /// `reduction`. At each rung, the best 1 / reduction of the trials continue. At least 1.1.
  double reduction = 4;
  /// For median: a trial is compared only if at least this many other trials have reported the same iteration; at least
  /// 1.
  int least_trials = 3;
};
/// Returns a scheduler that stops no trial early.
Scheduler fifo();
/// Returns a scheduler for asynchronous successive halving, with these members of Scheduler.
Scheduler asha(std::int64_t max_iterations, std::int64_t grace = 1, double reduction = 4);
/// Returns a scheduler for the median stopping rule, with these members of Scheduler.
Scheduler median_stopping(std::int64_t grace = 1, int least_trials = 3);

/// The state of a trial.
enum class TrialState : std::uint8_t {
  waiting,  ///< the trial has not started yet, or must be restarted
  running,  ///< the trial's process runs
  done,     ///< the trial has ended by itself or after Scheduler::max_iterations reports
  stopped,  ///< the scheduler has stopped the trial early
  failed,   ///< the trial's function threw, or its process was lost too often
};
/// Returns the name of the enumerator, such as "running".
const char* to_string(TrialState state);

/// A trial: one config, and the results of the function with this config.
struct Trial {
  int number = 0;    ///< from 1 on
  Json config = {};  ///< the config that the function receives
  TrialState state = TrialState::waiting;
  std::vector<Report> reports = {};  ///< all reports so far
  Json result = {};                  ///< the JSON result of rank 0
  std::string error = {};            ///< why the trial failed, or why its process was lost
  std::string checkpoint = {};       ///< folder of the last checkpoint; empty if there is none
  int attempts = 0;                  ///< number of processes that were started for the trial
  double seconds = 0;                ///< run time of the trial's last process
};

/// The resources of one trial.
struct Resources {
  /// Number of cores that are reserved for the trial. 0 (default): as many as its workers need, but at most all cores
  /// of the machine.
  int cpus = 0;
  /// Number of CUDA devices that are reserved for the trial, which sees no others (CUDA_VISIBLE_DEVICES). 0 (default):
  /// as many as its workers need (TrainerOptions::gpus_per_worker). If they need none, trials share all devices.
  int gpus = 0;
  /// Maximum bytes of private data memory for each process of the trial. 0 (default): no limit.
  std::size_t memory = 0;
};

/// A function that suggests configs. It receives all trials so far, some of which may still be running, and returns the
/// config of the next trial. If it returns an empty optional, the search starts no further trials.
using Suggest = std::function<std::optional<Json>(std::span<const Trial> trials)>;

/// Options of a search.
struct Options {
  Json space = {};  ///< the space from which the configs of trials are drawn
  /// Number of draws from the space. If the space has grids, each draw is combined with all combinations of their
  /// values.
  int num_samples = 1;
  /// A function that suggests the configs of trials. If it is set, `space` and `num_samples` are not used.
  Suggest suggest = {};
  /// Maximum number of trials that run at the same time. 0 (default): as many as the cores and the CUDA devices of the
  /// machine allow.
  int concurrent = 0;
  /// The resources of each trial.
  Resources resources_per_trial = {};
  /// Decides which trials are stopped early. Default: fifo, which stops none.
  Scheduler scheduler = {};
  /// The name of the metric by which trials are compared. The last value that a trial has reported is used.
  std::string metric = "loss";
  Better better = Better::lower;  ///< the direction in which the metric improves
  /// Seed of the draws. The config of trial n depends only on the seed and n.
  std::uint64_t seed = 1;
  /// Folder for all files of the search. Empty (default): a temporary folder, which is removed when the Analysis is
  /// destroyed.
  std::string folder = {};
  /// If true, the search in `folder` is resumed, or started if `folder` contains none. If false (default), tune::run
  /// throws Error invalid_argument if `folder` already contains a search.
  bool resume = false;
  /// Maximum number of times that a lost process of the same trial is replaced.
  int max_failures = 3;
  /// Timeout of reports. If a trial reports nothing for this time, it counts as hanging: its process is killed and
  /// replaced. 0: no timeout.
  std::chrono::milliseconds report_timeout = std::chrono::minutes(30);
  /// Time from SIGTERM to SIGKILL. A trial that must end early (because of the scheduler, max_iterations or
  /// `should_stop`) receives SIGTERM, which ends a process without a handler for SIGTERM. If the process still runs
  /// after this time, it is killed.
  std::chrono::milliseconds end_timeout = std::chrono::seconds(10);
  /// Called in the thread of tune::run for each report, and for each change of a trial's state. If `on_change` throws,
  /// the search ends with that exception.
  std::function<void(const Trial&)> on_change = {};
  /// Called at least every 100 ms. If `should_stop` returns true, all trials are stopped. The search can be continued
  /// later with `resume`.
  std::function<bool()> should_stop = {};
};

/// The results of a search.
class Analysis {
 public:
  class Impl;
  /// Only Troupe calls this constructor.
  explicit Analysis(std::shared_ptr<const Impl> impl);

  /// Returns all trials, in order of their numbers.
  const std::vector<Trial>& trials() const;
  /// Returns all trials in this order: first trials with the metric, the best first; then trials without the metric and
  /// trials that failed.
  std::vector<const Trial*> ranked() const;
  /// Returns the trial with the best last value of the metric Options::metric. Failed trials do not count.
  /// @throws Error bad_data if no trial has the metric; the message lists the reported metrics.
  const Trial& best() const;
  /// Returns false if `should_stop` ended the search early.
  bool is_complete() const;
  /// Returns the folder that contains all files of the search.
  const std::string& folder() const;
  /// Returns the folder of a trial. It contains the output of the trial's process (`output.txt`), its reports, and the
  /// files that its function has written to `trial_folder()`.
  std::string folder_of(const Trial& trial) const;
  /// Writes all reports of all trials to the file `path`, as JSON lines.
  /// @throws Error bad_file if the file cannot be written.
  void write_reports(const std::string& path) const;

  /// Returns the name of the metric that compares trials.
  const std::string& metric() const;

 private:
  std::shared_ptr<const Impl> impl_;
};
/// Writes a table with one line for each trial, the best first.
std::ostream& operator<<(std::ostream& out, const Analysis& analysis);

/// Runs trials until all have ended, and returns the results. `init` must have been called. If the function of a trial
/// throws, the trial has failed, and the other trials continue. If the process of a trial is killed or hangs, the trial
/// is restarted from the last checkpoint of its function.
/// @throws Error invalid_argument for an invalid space, a function that is not registered, more cores than the machine
/// has, or a folder with another search. In this case no trial has been started.
/// @throws Error in_use if another search uses the folder.
/// @throws Error bad_file if the folder cannot be written.
/// @throws Error unsupported for data by value or placement `cluster`, and in a child process that a callback of the
/// search has forked.
Analysis run(const Trainable& trainable, const Options& options);

/// Calls `here().report`. In the function of a trial, this reports the metrics of the trial.
inline void report(const Json& metrics) { here().report(metrics); }
/// Returns the folder of the current trial, into which its function may write files of its own. All processes of the
/// trial get the same folder. Returns an empty string outside a trial.
std::string trial_folder();
/// Returns the maximum number of reports of the current trial (Scheduler::max_iterations). Returns 0 if there is no
/// limit, or outside a trial.
std::int64_t most_reports();
/// Returns a callback that turns each report of a run into a report of the current trial. Use it if the function of a
/// trial makes its own Trainer or DistributedSGD.
std::shared_ptr<Callback> pass_on();

}  // namespace troupe::tune
