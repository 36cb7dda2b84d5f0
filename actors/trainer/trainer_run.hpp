#pragma once

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>

#include "actors/callbacks/callback_list.hpp"
#include "actors/functions/function_table.hpp"
#include "actors/trainer/function_call.hpp"
#include "actors/trainer/report_rows.hpp"
#include "actors/trainer/trainer_checkpoints.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// The data of a trainer that all its runs share.
struct TrainerMemory {
  std::shared_ptr<const Checkpoint> checkpoint;  ///< the last checkpoint that all ranks have saved; null if there is
                                                 ///< none
  bool running = false;
};

/// The run of a user's function on the workers of a trainer. Calls the function, and after the loss of a worker calls
/// the function again. Converts the function's output into reports, checkpoints and results, and calls the callbacks.
class RunHandle::Impl {
 public:
  /// The member function of WorkerGroup that started this run. Only a run that `WorkerGroup::run` started can resume
  /// from a checkpoint, and only such a run resets the trainer's last checkpoint at its start.
  enum class Kind : std::uint8_t { run, execute, execute_single };
  struct Request {
    std::string name;  ///< the name of the function, which callbacks receive
    Json config;
    Kind kind = Kind::run;
    RunOptions options;
    std::unique_ptr<const FunctionTable<TrainTask>::Loan> lent =
        nullptr;  ///< the function to call, if it was passed by value; null: the function registered as `name`
  };

  /// Starts the run, and blocks until the function has begun on all workers.
  Impl(std::shared_ptr<WorkerPool> pool, std::shared_ptr<TrainerMemory> memory, Request request);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Implements RunHandle::next.
  std::optional<Report> next();
  bool is_finished() const { return finished_; }
  /// Implements RunHandle::returns.
  const RunResults& returns();
  const OwningProcess& owner() const { return owner_; }

 private:
  /// Calls the function on all workers. If a worker is lost before the function has begun everywhere, restores the pool
  /// of workers and tries again.
  /// @param loss the loss that ended the previous call; std::nullopt for the first call
  void call_after(std::optional<Error> loss);
  /// Counts the loss of a worker in the failure budget, and reports the loss to the callbacks.
  /// @throws Error if the failure budget is exhausted, so that the run ends
  void count(const Error& loss);
  void start();
  bool is_single() const { return request_.kind == Kind::execute_single; }
  /// Calls the function once, on the current workers.
  void call();
  void handle(FunctionCall::Event event);
  void take_frame(int rank, FunctionCall::Event& event);
  void take_checkpoint(int rank, Checkpoint checkpoint);
  /// Moves each checkpoint that all ranks have saved from `saved_` to the folder of checkpoints. The newest of them
  /// becomes the checkpoint from which the next attempt resumes.
  void keep_checkpoints();
  /// Checks that either all ranks have saved checkpoints, or none.
  /// @throws Error invalid_argument if a rank has saved a checkpoint, and another rank has saved none
  void check_saved_by_all() const;
  /// Abandons the workers on which the function has not ended, and treats these workers as lost.
  void give_up();
  void note_failure(const FunctionCall::Event& event);
  /// Calls `tell` with each combined report that is complete.
  void make_reports();
  /// Passes a report to the callbacks, and adds it to the reports that `next` returns. If a callback requests that the
  /// run stops, requests that the function stops on all workers.
  void tell(const Report& report);
  /// Called when the function has ended or was abandoned on each worker. If a worker was lost, starts another attempt;
  /// otherwise ends the run.
  /// @throws Error if the run has failed
  void conclude();
  /// Returns the number of reports of each rank that are in combined reports. Counts all attempts, and also the reports
  /// before the checkpoint from which the run resumed.
  std::int64_t iterations() const { return reports_ + (rows_ ? rows_->iteration() : 0); }
  /// Handles the current exception, which ends the run: stores the exception, reports it to the callbacks, and ends the
  /// function on all workers.
  void fail() noexcept;
  /// Ends the function on workers where it still runs (`FunctionCall::end`), and releases the workers for other runs.
  void wind_up() noexcept;
  /// Returns the deadline until which `next` waits for an event: the time by which the function must have ended, if it
  /// must end.
  Deadline deadline() const;

  const OwningProcess owner_;
  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<TrainerMemory> memory_;
  Request request_;
  CallbackList callbacks_;
  std::optional<TrainerCheckpoints> folder_;
  std::shared_ptr<const Checkpoint> checkpoint_;  ///< the checkpoint from which the next attempt resumes; null if there
                                                  ///< is none
  Stopwatch watch_;
  std::uint64_t run_ = 0;
  int attempt_ = 0;
  bool resumed_ = false;
  std::unique_ptr<FunctionCall> call_;
  std::unique_ptr<ReportRows> rows_;
  std::int64_t reports_ = 0;             ///< number of reports of each rank before this attempt, including reports
                                         ///< before the run resumed from a checkpoint
  std::int64_t checkpoints_before_ = 0;  ///< the number of the last checkpoint before this attempt
  std::deque<Report> reported_;
  std::map<std::int64_t, Checkpoint> saved_;  ///< checkpoints that rank 0 has saved and another rank has not saved yet,
                                              ///< by number within this attempt
  std::vector<std::int64_t> acknowledged_;    ///< by rank: the number of checkpoints that the rank has saved in this
                                              ///< attempt
  RunResults results_;
  std::optional<Error> failure_;  ///< the error of a function
  std::optional<Error> blame_;    ///< the error of a function that failed because another rank was absent
  std::optional<Error> loss_;
  std::optional<Deadline> stopping_;  ///< the time by which the function must have ended on all workers
  double late_ = 0;                   ///< seconds that `next` has spent on reading output after the time `stopping_`
  bool stop_wanted_ = false;
  std::exception_ptr failed_;  ///< the exception that ended the run
  bool finished_ = false;
  bool told_ = false;  ///< true if callbacks have received the start of the run, but not its end
};

}  // namespace troupe
