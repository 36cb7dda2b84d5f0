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

/// Data of a trainer that its runs share.
struct TrainerMemory {
  std::shared_ptr<const Checkpoint> checkpoint;  ///< the last checkpoint that all ranks have saved; null: none
  bool running = false;
};

/// The run of a function on the workers of a trainer. Calls the function, and calls it again after the loss of a
/// worker. Converts the output of the function into reports, checkpoints and results, and calls the callbacks.
class RunHandle::Impl {
 public:
  /// The function of WorkerGroup that started this run. Only a `run` can resume from a checkpoint, and only a `run`
  /// resets the trainer's last checkpoint at its start.
  enum class Kind : std::uint8_t { run, execute, execute_single };
  struct Request {
    std::string name;  ///< the function's name; callbacks receive it
    Json config;
    Kind kind = Kind::run;
    RunOptions options;
    std::unique_ptr<const FunctionTable<TrainTask>::Loan> lent =
        nullptr;  ///< the function to call, if it was passed by value; null: the function registered as `name`
  };

  /// Starts the run: blocks until the function has begun on all workers.
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
  /// Calls the function on all workers. If a worker is lost while the function starts, restores the pool and tries
  /// again.
  /// @param loss the loss that ended the previous call; std::nullopt for the first call
  void call_after(std::optional<Error> loss);
  /// Counts a loss, and reports it to the callbacks.
  /// @throws Error if the failure budget is exhausted, so that the run ends
  void count(const Error& loss);
  void start();
  bool is_single() const { return request_.kind == Kind::execute_single; }
  /// Calls the function on the current workers, once.
  void call();
  void handle(FunctionCall::Event event);
  void take_frame(int rank, FunctionCall::Event& event);
  void take_checkpoint(int rank, Checkpoint checkpoint);
  /// Stores each checkpoint that all ranks have saved: in the folder, and as the checkpoint from which the next attempt
  /// resumes.
  void keep_checkpoints();
  /// Checks that all ranks save checkpoints, or none.
  /// @throws Error invalid_argument if a rank has saved a checkpoint, and another rank has saved none
  void check_saved_by_all() const;
  /// Abandons functions that have not ended, and treats their workers as lost.
  void give_up();
  void note_failure(const FunctionCall::Event& event);
  /// Passes on all combined reports that are complete.
  void make_reports();
  /// Passes a report to the callbacks and to `next`. If a callback requests it, tells the functions to stop.
  void tell(const Report& report);
  /// Called when all functions have ended or were abandoned. Ends the run, or starts another attempt if a worker was
  /// lost.
  /// @throws Error if the run has failed
  void conclude();
  /// Returns the number of reports that each rank has made, in all attempts, including the reports before the
  /// checkpoint from which the run resumed.
  std::int64_t iterations() const { return reports_ + (rows_ ? rows_->iteration() : 0); }
  /// Handles the current exception, which ends the run: stores it, reports it to the callbacks, and ends the functions.
  void fail() noexcept;
  /// Ends the functions that still run, by `FunctionCall::end`, and releases the workers for other runs.
  void wind_up() noexcept;
  /// Returns the time until which `next` waits for an event.
  Deadline deadline() const;

  const OwningProcess owner_;
  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<TrainerMemory> memory_;
  Request request_;
  CallbackList callbacks_;
  std::optional<TrainerCheckpoints> folder_;
  std::shared_ptr<const Checkpoint> checkpoint_;  ///< the checkpoint from which the next attempt resumes; null: none
  Stopwatch watch_;
  std::uint64_t run_ = 0;
  int attempt_ = 0;
  bool resumed_ = false;
  std::unique_ptr<FunctionCall> call_;
  std::unique_ptr<ReportRows> rows_;
  std::int64_t reports_ = 0;             ///< number of reports of each rank before this attempt, including those before
                                         ///< the run was resumed
  std::int64_t checkpoints_before_ = 0;  ///< the number of the last checkpoint before this attempt
  std::deque<Report> reported_;
  std::map<std::int64_t, Checkpoint> saved_;  ///< checkpoints that rank 0 has saved and other ranks have not, by number
  std::vector<std::int64_t> acknowledged_;    ///< by rank: the number of checkpoints that it has saved
  RunResults results_;
  std::optional<Error> failure_;  ///< the error of a function
  std::optional<Error> blame_;    ///< the error of a function that failed because of another rank
  std::optional<Error> loss_;
  std::optional<Deadline> stopping_;  ///< the time by which functions must stop
  double late_ = 0;                   ///< seconds spent on reading output of functions after `stopping_`
  bool stop_wanted_ = false;
  std::exception_ptr failed_;  ///< the exception that ended the run
  bool finished_ = false;
  bool told_ = false;  ///< true if callbacks have received the start of the run, but not its end
};

}  // namespace troupe
