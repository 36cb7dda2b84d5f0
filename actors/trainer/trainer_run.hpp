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

/// Data that a run leaves in its trainer.
struct TrainerMemory {
  std::shared_ptr<const Checkpoint> checkpoint;  ///< the last checkpoint that all ranks acknowledged; null: none
  bool running = false;
};

/// The run of a function: calls the function, calls it again after losses, and turns its data into reports, checkpoints
/// and results.
class RunHandle::Impl {
 public:
  /// Only `run` can resume from a checkpoint, and only `run` resets the trainer's last checkpoint.
  enum class Kind : std::uint8_t { run, execute, execute_single };
  struct Request {
    std::string name;  ///< as callbacks receive it
    Json config;
    Kind kind = Kind::run;
    RunOptions options;
    std::unique_ptr<const FunctionTable<TrainTask>::Loan> lent =
        nullptr;  ///< the function to call instead, if it is lent
  };

  Impl(std::shared_ptr<WorkerPool> pool, std::shared_ptr<TrainerMemory> memory, Request request);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::optional<Report> next();
  bool is_finished() const { return finished_; }
  const RunResults& returns();
  const OwningProcess& owner() const { return owner_; }

 private:
  /// Calls the function on all workers, and again if one is lost during the start.
  /// @param loss the loss that ended the previous call
  void call_after(std::optional<Error> loss);
  /// @throws Error if the run ends because of this loss
  void count(const Error& loss);
  void start();
  bool is_single() const { return request_.kind == Kind::execute_single; }
  void call();
  void handle(FunctionCall::Event event);
  void take_frame(int rank, FunctionCall::Event& event);
  void take_checkpoint(int rank, Checkpoint checkpoint);
  void keep_checkpoints();
  /// @throws Error invalid_argument if a rank has saved and others never have
  void check_saved_by_all() const;
  /// Treats workers whose functions have not ended as lost.
  void give_up();
  void note_failure(const FunctionCall::Event& event);
  void make_reports();
  void tell(const Report& report);
  /// Called when all functions have ended or hang.
  void conclude();
  /// Returns the number of reports of each rank, over all attempts and the checkpoint from which the run resumed.
  std::int64_t iterations() const { return reports_ + (rows_ ? rows_->iteration() : 0); }
  /// Handles the exception that ends the run: reports it to callbacks and ends functions.
  void fail() noexcept;
  /// Ends functions: waits for them or abandons them.
  void wind_up() noexcept;
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
  std::int64_t reports_ = 0;             ///< reports of each rank before this attempt, including those before the run
                                         ///< was resumed
  std::int64_t checkpoints_before_ = 0;  ///< the number of the last checkpoint before this attempt
  std::deque<Report> reported_;
  std::map<std::int64_t, Checkpoint> saved_;  ///< saved by rank 0, not yet acknowledged by all ranks
  std::vector<std::int64_t> acknowledged_;    ///< number of checkpoints by rank
  RunResults results_;
  std::optional<Error> failure_;  ///< the error of a function
  std::optional<Error> blame_;    ///< the error of a function that failed because of another rank
  std::optional<Error> loss_;
  std::optional<Deadline> stopping_;  ///< the time by which functions must stop
  double late_ = 0;                   ///< seconds of listening to functions after that time
  bool stop_wanted_ = false;
  std::exception_ptr failed_;  ///< the exception that ended the run
  bool finished_ = false;
  bool told_ = false;  ///< callbacks have received the start, but not the end
};

}  // namespace troupe
