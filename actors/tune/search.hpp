#pragma once

#include <exception>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "actors/tune/scheduler.hpp"
#include "actors/tune/search_folder.hpp"
#include "actors/tune/space.hpp"
#include "actors/tune/trial_process.hpp"
#include "runtime/clock.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// Runs the trials of a search until all trials have ended. At any time, as many trials run as `Options::concurrent`
/// and the number of cores allow.
class Search {
 public:
  /// Checks the options, and opens the folder of the search. If the search is resumed, reads its trials from the
  /// folder.
  /// @throws Error as documented at `tune::run`
  Search(const Trainable& trainable, const Options& options);

  /// Runs the search. Returns when all trials have ended, or when `Options::should_stop` has returned true and the
  /// running trials have been ended.
  /// @throws Error as documented at `tune::run`, and exceptions of the user's functions
  void run();

  const std::vector<Trial>& trials() const { return trials_; }
  /// Returns true if all trials of the search have ended.
  bool is_complete() const { return complete_; }
  std::shared_ptr<const SearchFolder> folder() const { return folder_; }

 private:
  /// One process of a trial, from its start to its end.
  struct Run {
    std::size_t at;  ///< index of the trial in `trials_`
    TrialShare share;
    Clock::time_point begun;
    Clock::time_point heard;
    std::unique_ptr<TrialProcess> process;
    bool over = false;                       ///< true if the search has handled the end of the process, or the process
                                             ///< could not be started
    std::optional<TrialState> leaving = {};  ///< set if the trial was told to end: the state that the trial will have
                                             ///< after its end
    Deadline deadline = Deadline::never();   ///< the time at which the trial is killed if it was told to end and still
                                             ///< runs
  };

  void check();
  void give_cores();
  void give_devices();
  TrialTask task_of(const Json& drawn) const;
  Json description() const;
  void read_trials();
  /// Finds the next trial to start or to start again. Returns false if there is no such trial at present.
  /// @param at set to the index of the trial in `trials_`
  bool next_trial(std::size_t& at);
  std::optional<Json> next_config() const;
  void run_trials();
  bool has_no_more() const;
  void start_trials();
  bool start(std::size_t at, TrialShare share);
  void wait() const;
  void hear(Run& run);
  void take(Run& run, const Json& line);
  void take_late(Run& run, const Json& line);
  void keep_reports(Trial& trial, std::size_t kept);
  void take_report(Run& run, Report report);
  void check_metric(const Trial& trial, const Report& report) const;
  bool judge(const Trial& trial, const Report& report);
  void look_for_silence(Run& run);
  void look_for_end(Run& run);
  void lose(Run& run, const std::string& how);
  /// Tells the trial of `run` to end early (`TrialProcess::ask_to_end`).
  /// @param state the state that the trial has after its end
  void dismiss(Run& run, TrialState state);
  void end(Run& run, TrialState state);
  void end_all();
  /// Removes from `runs_` the runs that are over, and frees their cores for other trials.
  void drop_ended();
  void tell(const Trial& trial);
  /// Throws if the calling process is a child process that a user's function has made by fork.
  void check_owner() const { owner_.check("this search"); }
  /// Calls `work`. If `work` throws, stores the exception in `thrown_`, unless `thrown_` already has an exception.
  void keeping_errors(const std::function<void()>& work);
  /// Returns true if the user's function `Options::should_stop` requests the end of the search.
  bool wants_to_stop() const {
    const bool stops = options_.should_stop && options_.should_stop();
    check_owner();
    return stops;
  }

  const LiveRun live_;
  const OwningProcess owner_;
  Trainable trainable_;
  Options options_;
  Space space_;
  std::unique_ptr<Stopper> stopper_;
  std::int64_t num_trials_ = 0;  ///< number of trials if their configs are drawn from the space; unused if
                                 ///< `Options::suggest` returns the configs
  TrialShare free_;              ///< cores and devices that no trial uses
  std::size_t most_at_once_ = 1;
  std::shared_ptr<SearchFolder> folder_;
  std::vector<Trial> trials_;
  std::list<Run> runs_;
  std::uint64_t out_of_memory_kills_;
  bool complete_ = false;
  bool no_more_ = false;       ///< true if no further trials will be added
  std::exception_ptr thrown_;  ///< the first exception, which ends the search; null if there was no exception
};

}  // namespace troupe::tune
