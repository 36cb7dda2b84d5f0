#pragma once

// Search for hyperparameters: runs a training function many times with different values. The design follows Ray Tune.
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

/// Search for hyperparameters. Each trial is a process of its own with its own cores and its own config.
///
/// A **space** describes how configs are drawn. It is a JSON object, nested like a config. Each value is a distribution
/// or a constant: {"lr": {"loguniform": [1e-4, 1]}, "model": {"choice": ["mlp", "cnn"]}, "momentum": 0.9}. So a file
/// can contain a space. The functions from `uniform` to `grid` below return such distributions as JSON. tune::run
/// throws Error invalid_argument for a distribution that is not valid.
namespace troupe::tune {

/// Returns a distribution of numbers that is uniform in [low, high).
Json uniform(double low, double high);
/// Returns a distribution of numbers in [low, high) whose logarithm is uniform. `low` must be above 0.
Json loguniform(double low, double high);
/// Returns a distribution of numbers that is uniform in [low, high]; each number is rounded to the nearest multiple of
/// `step` in this range.
Json quniform(double low, double high, double step);
/// Returns a distribution of integers that is uniform in [low, high).
Json randint(std::int64_t low, std::int64_t high);
/// Returns a distribution that draws one of `values`, each with the same probability.
Json choice(const std::vector<Json>& values);
/// Returns a grid: the search uses each of `values` once. If a space has several grids, the search uses all
/// combinations of their values.
Json grid(const std::vector<Json>& values);

/// The function that each trial runs, and its workers.
struct Trainable {
  std::string function;  ///< a registered name, see register_function
  /// The workers of each trial, with placement in_process or processes. Default: one worker with all cores of the
  /// trial.
  TrainerOptions workers = TrainerOptions();  // with {} GCC 12 gives a false warning in user code
  /// Data by name. "{KEY}" in a name is replaced by the value of KEY in the trial's config.
  RunDatasets dataset = {};
  /// How the reports of ranks are combined.
  ReportOptions reports = ReportOptions();
  /// Number of newest checkpoints of the function to keep in the trial's folder; at least 1.
  int keep_checkpoints = 1;
  /// Values that every trial uses in addition to its own values; an object.
  Json config = {};
};

/// The way to stop trials early.
enum class SchedulerKind : std::uint8_t {
  fifo,  ///< every trial runs to its end
  /// Stops the worst trials early by asynchronous successive halving (Li et al. 2018), like Ray Tune.
  asha,
  /// Stops a trial if its best value is worse than the median of the other trials' averages (Golovin et al. 2017,
  /// Vizier).
  median,
};

/// Options for stopping trials early. An iteration is one report of a trial.
struct Scheduler {
  SchedulerKind kind = SchedulerKind::fifo;
  /// Maximum number of reports of a trial; a trial that reports more is stopped and counts as done. Required for asha.
  /// 0 (default): no limit.
  std::int64_t max_iterations = 0;
  /// Number of reports before a trial may be stopped early; at least 1.
  std::int64_t grace = 1;
  /// asha: the best 1 / reduction of the trials continue at each rung; rungs are at `grace` times the powers of
  /// `reduction`. At least 1.1.
  double reduction = 4;
  /// median: a trial is compared only if at least this many other trials have reported the same iteration; at least 1.
  int least_trials = 3;
};
/// Returns a scheduler that stops no trial early.
Scheduler fifo();
/// Returns a scheduler for asynchronous successive halving.
Scheduler asha(std::int64_t max_iterations, std::int64_t grace = 1, double reduction = 4);
/// Returns a scheduler for the median stopping rule.
Scheduler median_stopping(std::int64_t grace = 1, int least_trials = 3);

/// The state of a trial.
enum class TrialState : std::uint8_t {
  waiting,  ///< not started yet, or to be restarted
  running,  ///< its process runs
  done,     ///< ended by itself or after max_iterations
  stopped,  ///< stopped early by the scheduler
  failed,   ///< its function threw, or it was lost too often
};
/// Returns the enumerator's name, such as "running".
const char* to_string(TrialState state);

/// One config and its results.
struct Trial {
  int number = 0;    ///< from 1 on
  Json config = {};  ///< the drawn values
  TrialState state = TrialState::waiting;
  std::vector<Report> reports = {};  ///< all reports so far
  Json result = {};                  ///< the JSON result of rank 0
  std::string error = {};            ///< why the trial failed or was lost
  std::string checkpoint = {};       ///< folder of the last checkpoint; empty if there is none
  int attempts = 0;                  ///< number of processes started for the trial
  double seconds = 0;                ///< run time of its last process
};

/// The resources of one trial.
struct Resources {
  /// Cores reserved for the trial. 0 (default): as many as its workers need, at most all cores.
  int cpus = 0;
  /// Maximum bytes of private data memory of each process of the trial. 0 (default): no limit.
  std::size_t memory = 0;
};

/// Returns the config of the next trial, given all trials so far, some of which may still be running. An empty optional
/// ends the search.
using Suggest = std::function<std::optional<Json>(std::span<const Trial> trials)>;

/// Options of a search.
struct Options {
  Json space = {};  ///< the space of configs
  /// Number of draws from the space; each draw is combined with all combinations of the grids.
  int num_samples = 1;
  /// Suggests configs. If it is set, `space` and `num_samples` are not used.
  Suggest suggest = {};
  /// Maximum number of trials that run at the same time. 0 (default): as many as the cores allow.
  int concurrent = 0;
  /// The resources of each trial.
  Resources resources_per_trial = {};
  /// Stops trials early. Default: fifo.
  Scheduler scheduler = {};
  /// The metric that compares trials, by its last reported value.
  std::string metric = "loss";
  Better better = Better::lower;  ///< the direction in which the metric improves
  /// Seed of the draws. The values of trial n depend only on the seed and n.
  std::uint64_t seed = 1;
  /// Folder for all files of the search. Empty (default): a temporary folder, which is removed with the Analysis.
  std::string folder = {};
  /// If true, resumes the search in `folder`, or starts it if the folder has none. If false (default), a folder with a
  /// search is an Error invalid_argument.
  bool resume = false;
  /// Maximum number of times that the process of a trial is replaced after it was lost.
  int max_failures = 3;
  /// A trial that reports nothing for this time counts as hanging: its process is killed and replaced. 0: never.
  std::chrono::milliseconds report_timeout = std::chrono::minutes(30);
  /// A trial that must end early (because of the scheduler, max_iterations or `should_stop`) receives SIGTERM, which
  /// ends a process without a handler. After this time its process is killed.
  std::chrono::milliseconds end_timeout = std::chrono::seconds(10);
  /// Called in the thread of `run` for each change of a trial's state and each report. If it throws, the search ends
  /// with that exception.
  std::function<void(const Trial&)> on_change = {};
  /// Called at least every 100 ms. If it returns true, all trials are stopped; `resume` can continue the search later.
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
  /// Returns all trials: first those with the metric, the best first, then those without it and those that failed.
  std::vector<const Trial*> ranked() const;
  /// Returns the trial with the best last value of the metric. Failed trials do not count.
  /// @throws Error bad_data if no trial has the metric; the message lists the reported metrics.
  const Trial& best() const;
  /// Returns false if `should_stop` ended the search early.
  bool is_complete() const;
  /// Returns the folder of the search.
  const std::string& folder() const;
  /// Returns the folder of a trial. It contains the output of the trial's process (`output.txt`), its reports, and the
  /// files that its function wrote (`trial_folder`).
  std::string folder_of(const Trial& trial) const;
  /// Writes all reports of all trials as JSON lines.
  /// @throws Error bad_file if the file cannot be written.
  void write_reports(const std::string& path) const;

  /// Returns the metric that compares trials.
  const std::string& metric() const;

 private:
  std::shared_ptr<const Impl> impl_;
};
/// Writes a table with one line for each trial, the best first.
std::ostream& operator<<(std::ostream& out, const Analysis& analysis);

/// Runs trials until all have ended, and returns the results. Requires `init`. If the function of a trial throws, the
/// trial has failed, and the others continue. If the process of a trial is killed or hangs, the trial is restarted from
/// the last checkpoint of its function.
/// @throws Error invalid_argument for an invalid space, a function that is not registered, more cores than there are,
/// or a folder with another search. No trial has been started then.
/// @throws Error in_use if another search uses the folder.
/// @throws Error bad_file if the folder cannot be written.
/// @throws Error unsupported for data by value or placement `cluster`, and in a child process that a callback of the
/// search has forked.
Analysis run(const Trainable& trainable, const Options& options);

/// Calls `here().report`. In a trial, the reports of the function are the reports of the trial.
inline void report(const Json& metrics) { here().report(metrics); }
/// Returns the folder of the current trial, for files of your own; also in the worker processes of the trial. Empty
/// outside a trial.
std::string trial_folder();
/// Returns the maximum number of reports of the current trial (Scheduler::max_iterations). 0: no limit, or not in a
/// trial.
std::int64_t most_reports();
/// Returns a callback that turns each report into a report of the current trial. Use it for a Trainer or DistributedSGD
/// that the function of a trial makes itself.
std::shared_ptr<Callback> pass_on();

}  // namespace troupe::tune
