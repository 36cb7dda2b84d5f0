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

/// Runs the trials of a search until all have ended. At any time it runs as many trials as the cores allow.
class Search {
 public:
  /// Checks the options, opens the folder of the search, and reads its trials if the search is resumed.
  /// @throws Error as documented at `tune::run`
  Search(const Trainable& trainable, const Options& options);

  /// Runs the search. Returns when all trials have ended or `Options::should_stop` returns true.
  /// @throws Error as documented at `tune::run`, and exceptions of the user's functions
  void run();

  const std::vector<Trial>& trials() const { return trials_; }
  /// Returns true if all trials of the search have ended.
  bool is_complete() const { return complete_; }
  std::shared_ptr<const SearchFolder> folder() const { return folder_; }

 private:
  /// The process of a trial.
  struct Run {
    std::size_t at;  ///< index of the trial in `trials_`
    std::vector<int> cores;
    Clock::time_point begun;
    Clock::time_point heard;
    std::unique_ptr<TrialProcess> process;
    bool over = false;                       ///< true if the process has reported its end, was killed, or could not be
                                             ///< started
    std::optional<TrialState> leaving = {};  ///< set if the trial was told to end: the state that it will then have
    Deadline deadline = Deadline::never();   ///< the time at which a trial that was told to end is killed
  };

  void check();
  void give_cores();
  TrialTask task_of(const Json& drawn) const;
  Json description() const;
  void read_trials();
  /// Finds the next trial to start or to start again. Returns false if there is none now.
  /// @param at set to the index of the trial
  bool next_trial(std::size_t& at);
  std::optional<Json> next_config() const;
  void run_trials();
  bool has_no_more() const;
  void start_trials();
  bool start(std::size_t at, std::vector<int> cores);
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
  /// Tells a trial to end early.
  /// @param state the state that the trial has afterwards
  void dismiss(Run& run, TrialState state);
  void end(Run& run, TrialState state);
  void end_all();
  /// Removes runs that are over, and frees their cores.
  void drop_ended();
  void tell(const Trial& trial);
  /// Throws if this process is a child that a user's function has forked.
  void check_owner() const { owner_.check("this search"); }
  /// Calls `work`. If it throws, stores the exception in `thrown_`, unless there is one already.
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
  std::int64_t num_trials_ = 0;  ///< number of trials, if configs are drawn from the space
  std::vector<int> free_cores_;
  std::size_t most_at_once_ = 1;
  std::shared_ptr<SearchFolder> folder_;
  std::vector<Trial> trials_;
  std::list<Run> runs_;
  std::uint64_t out_of_memory_kills_;
  bool complete_ = false;
  bool no_more_ = false;       ///< true if no further trials will be added
  std::exception_ptr thrown_;  ///< the first exception, which ends the search; null: none
};

}  // namespace troupe::tune
