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

/// Runs trials until all have ended, as many concurrently as the cores allow.
class Search {
 public:
  /// @throws Error as documented at `tune::run`
  Search(const Trainable& trainable, const Options& options);

  void run();

  const std::vector<Trial>& trials() const { return trials_; }
  bool is_complete() const { return complete_; }
  std::shared_ptr<const SearchFolder> folder() const { return folder_; }

 private:
  struct Run {
    std::size_t at;  ///< index of its trial
    std::vector<int> cores;
    Clock::time_point begun;
    Clock::time_point heard;
    std::unique_ptr<TrialProcess> process;
    bool over = false;                       ///< it has reported its end, or was killed
    std::optional<TrialState> leaving = {};  ///< it was asked to end, and will get this state
    Deadline deadline = Deadline::never();   ///< the time at which it is then killed
  };

  void check();
  void give_cores();
  TrialTask task_of(const Json& drawn) const;
  Json description() const;
  void read_trials();
  /// Returns the next trial to start or restart; false if there is none now.
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
  /// Returns whether the trial continues after the report.
  bool judge(const Trial& trial, const Report& report);
  void look_for_silence(Run& run);
  void look_for_end(Run& run);
  void lose(Run& run, const std::string& how);
  /// Asks a trial to end early.
  void dismiss(Run& run, TrialState state);
  void end(Run& run, TrialState state);
  void end_all();
  void drop_ended();
  void tell(const Trial& trial);
  /// Throws if a user's function has forked this process and returned in the child.
  void check_owner() const { owner_.check("this search"); }
  void keeping_errors(const std::function<void()>& work);
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
  std::int64_t num_trials_ = 0;  ///< number of trials of the space
  std::vector<int> free_cores_;
  std::size_t most_at_once_ = 1;
  std::shared_ptr<SearchFolder> folder_;
  std::vector<Trial> trials_;
  std::list<Run> runs_;
  std::uint64_t out_of_memory_kills_;
  bool complete_ = false;
  bool no_more_ = false;       ///< there are no more trials to begin
  std::exception_ptr thrown_;  ///< the first exception, which ends the search
};

}  // namespace troupe::tune
