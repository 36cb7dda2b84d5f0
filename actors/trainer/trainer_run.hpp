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

/// What a run leaves with its trainer.
struct TrainerMemory {
  std::shared_ptr<const Checkpoint> checkpoint;  ///< the last that all ranks acknowledged; null: none
  bool running = false;
};

/// A function that is run: calls it, again after losses, and makes reports, checkpoints and results of what it says.
class RunHandle::Impl {
 public:
  /// Only a run has a checkpoint to go on from, and the trainer forget the last.
  enum class Kind : std::uint8_t { run, execute, execute_single };
  struct Request {
    std::string name;  ///< as callbacks are told
    Json config;
    Kind kind = Kind::run;
    RunOptions options;
    std::unique_ptr<const FunctionTable<TrainTask>::Loan> lent =
        nullptr;  ///< what is called in its place, where it is lent
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
  /// Calls it on all workers, and again where one is lost meanwhile. @param loss that of the call before
  void call_after(std::optional<Error> loss);
  /// @throws Error where the run does not go on after it
  void count(const Error& loss);
  void start();
  bool is_single() const { return request_.kind == Kind::execute_single; }
  void call();
  void handle(FunctionCall::Event event);
  void take_frame(int rank, FunctionCall::Event& event);
  void take_checkpoint(int rank, Checkpoint checkpoint);
  void keep_checkpoints();
  /// @throws Error invalid_argument where a rank has saved and others never have
  void check_saved_by_all() const;
  /// Functions that have not ended are lost.
  void give_up();
  void note_failure(const FunctionCall::Event& event);
  void make_reports();
  void tell(const Report& report);
  /// All functions have ended, or hang.
  void conclude();
  /// Reports of each rank, in all attempts and in what the run goes on from.
  std::int64_t iterations() const { return reports_ + (rows_ ? rows_->iteration() : 0); }
  /// What is being thrown has ended the run: callbacks hear of it, and functions end.
  void fail() noexcept;
  /// Functions are to end, and are waited for or given up.
  void wind_up() noexcept;
  Deadline deadline() const;

  const OwningProcess owner_;
  std::shared_ptr<WorkerPool> pool_;
  std::shared_ptr<TrainerMemory> memory_;
  Request request_;
  CallbackList callbacks_;
  std::optional<TrainerCheckpoints> folder_;
  std::shared_ptr<const Checkpoint> checkpoint_;  ///< that the next attempt goes on from; null: none
  Stopwatch watch_;
  std::uint64_t run_ = 0;
  int attempt_ = 0;
  bool resumed_ = false;
  std::unique_ptr<FunctionCall> call_;
  std::unique_ptr<ReportRows> rows_;
  std::int64_t reports_ = 0;             ///< of each rank before this attempt, and before the run where it is resumed
  std::int64_t checkpoints_before_ = 0;  ///< this attempt
  std::deque<Report> reported_;
  std::map<std::int64_t, Checkpoint> saved_;  ///< by rank 0, and not acknowledged by all
  std::vector<std::int64_t> acknowledged_;    ///< by rank
  RunResults results_;
  std::optional<Error> failure_;  ///< a function's own
  std::optional<Error> blame_;    ///< of a function that fails since another rank did
  std::optional<Error> loss_;
  std::optional<Deadline> stopping_;  ///< until when functions may go on
  double late_ = 0;                   ///< seconds for which they have been heard since
  bool stop_wanted_ = false;
  std::exception_ptr failed_;  ///< what ended the run
  bool finished_ = false;
  bool told_ = false;  ///< callbacks have heard of the start, and not of the end
};

}  // namespace troupe
