#include "actors/trainer/trainer_run.hpp"

#include <algorithm>
#include <utility>

#include "actors/functions/bundle.hpp"
#include "runtime/invalid.hpp"
#include "runtime/random.hpp"

namespace troupe {
namespace {

/// When a rank has saved this number of checkpoints, the run fails if another rank has saved no checkpoint.
constexpr std::int64_t kMostAhead = 16;

/// The time in seconds for which the driver still reads the functions' output after the deadline by which the functions
/// must have ended. The output may have been sent before that deadline.
constexpr double kLastWords = 1;

/// Returns `text` unchanged if it fits into a message.
/// @param what the noun for the error message, such as "config"
/// @throws Error invalid_argument if `text` is longer than kLongestSetting bytes
std::string bounded(const char* what, std::string text) {
  if (text.size() > kLongestSetting)
    throw_invalid(std::string(what) + " has " + std::to_string(text.size()) + " bytes; the maximum is " +
                  std::to_string(kLongestSetting));
  return text;
}

std::string text_of(const Json& config) { return bounded("config", to_text(config)); }

/// Returns the names of the data sets, each followed by a zero byte: the format of StartFunction::datasets.
std::string text_of(const RunDatasets& datasets) {
  std::string names;
  for (const RunData& each : datasets.all()) {
    if (each.empty()) throw_invalid("one of the run's data sets has neither a name nor a training set");
    if (each.name().find('\0') != std::string::npos) throw_invalid("the name of data has a zero byte");
    names += each.name() + '\0';
  }
  return bounded("the list of data sets", std::move(names));
}

/// Returns the exception `thrown` as an Error, for callbacks.
Error error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return {ErrorCode::model_failed, error.what()};
  } catch (...) {
    return {ErrorCode::model_failed, "an object that is not a std::exception was thrown"};
  }
}

}  // namespace

RunHandle::Impl::Impl(std::shared_ptr<WorkerPool> pool, std::shared_ptr<TrainerMemory> memory, Request request)
    : pool_(std::move(pool)),
      memory_(std::move(memory)),
      request_(std::move(request)),
      callbacks_(request_.options.callbacks),
      run_(drawn_name()) {
  if (request_.config.is_null()) request_.config = Json::object();
  text_of(request_.config);
  text_of(request_.options.dataset);
  static_cast<void>(ReportRows(request_.options.reports, 1));  // throws if the options are invalid
  const RunCheckpoints& kept = request_.options.checkpoints;
  if (!kept.folder.empty()) folder_.emplace(kept);
  if (kept.resume && !folder_) throw_invalid("checkpoints.resume needs checkpoints.folder");
  const std::int64_t newest = kept.resume ? folder_->newest() : 0;
  resumed_ = newest > 0;
  if (resumed_) {
    checkpoint_ = std::make_shared<const Checkpoint>(folder_->read(newest));
    reports_ = checkpoint_->iteration;
  }
  if (request_.kind == Kind::run) memory_->checkpoint = checkpoint_;
  memory_->running = true;
  try {
    call_after(std::nullopt);
  } catch (...) {
    fail();
    throw;
  }
}

RunHandle::Impl::~Impl() {
  wind_up();
  if (told_) callbacks_.close({watch_.seconds(), iterations(), false});
}

void RunHandle::Impl::call_after(std::optional<Error> loss) {
  for (;;) {
    call_.reset();
    if (loss) count(*loss);
    try {
      loss ? pool_->recover() : pool_->settle();
      start();
      return call();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::worker_lost) throw;
      loss = error;
    }
  }
}

void RunHandle::Impl::count(const Error& loss) {
  pool_->count_loss(loss);
  if (told_) callbacks_.failure_passed(loss);
}

/// Calls the callbacks' `on_start` for the next attempt, which starts on the current workers.
void RunHandle::Impl::start() {
  const int ranks = is_single() ? 1 : pool_->num_workers();
  callbacks_.start({request_.name, ranks, request_.config, attempt_ + 1, resumed_});
  told_ = true;
}

void RunHandle::Impl::call() {
  ++attempt_;
  checkpoints_before_ = std::max(checkpoint_ ? checkpoint_->number : 0, folder_ ? folder_->newest() : 0);
  CallRequest request;
  request.run = run_;
  request.attempt = attempt_;
  request.single = is_single();
  request.awaits_reports = request_.options.reports.awaited;
  request.name = request_.lent ? request_.lent->name() : request_.name;
  request.config = text_of(request_.config);
  request.datasets = text_of(request_.options.dataset);
  if (checkpoint_) request.checkpoint = to_bytes(*checkpoint_);
  call_ = std::make_unique<FunctionCall>(*pool_, std::move(request));
  rows_ = std::make_unique<ReportRows>(request_.options.reports, call_->size());
  acknowledged_.assign(static_cast<std::size_t>(call_->size()), 0);
  saved_.clear();
  results_.assign(static_cast<std::size_t>(call_->size()), {});
  failure_.reset();
  blame_.reset();
  loss_.reset();
  stopping_.reset();
  late_ = 0;
  if (stop_wanted_) call_->stop();
}

std::optional<Report> RunHandle::Impl::next() try {
  while (!finished_ && reported_.empty()) {
    if (call_->over()) {
      conclude();
      continue;
    }
    if (late_ > kLastWords) {
      give_up();
      continue;
    }
    const bool late = stopping_ && stopping_->passed();
    const Stopwatch watch;
    if (auto event = call_->next(deadline()))
      handle(std::move(*event));
    else if (!call_->over())
      give_up();
    if (late) late_ += watch.seconds();
  }
  if (reported_.empty()) return std::nullopt;
  Report report = std::move(reported_.front());
  reported_.pop_front();
  return report;
} catch (...) {
  fail();
  throw;
}

void RunHandle::Impl::give_up() {
  const Phase phase{"run", -1, Deadline(std::chrono::milliseconds(0))};
  for (const int rank : call_->give_up()) {
    rows_->end(rank);
    const int worker = pool_->members().workers().at(static_cast<std::size_t>(rank));
    if (!loss_)
      loss_ = Error(ErrorCode::worker_lost, "a worker was lost: its function did not stop in time",
                    pool_->rounds().where(worker, phase));
  }
}

Deadline RunHandle::Impl::deadline() const { return stopping_ ? *stopping_ : Deadline::never(); }

void RunHandle::Impl::handle(FunctionCall::Event event) {
  using Happened = FunctionCall::Event::Kind;
  const int rank = event.rank;
  if (event.kind == Happened::frame) return take_frame(rank, event);
  if (event.kind != Happened::ended) note_failure(event);
  rows_->end(rank);
  make_reports();
}

void RunHandle::Impl::take_frame(int rank, FunctionCall::Event& event) {
  const std::string& bytes = event.frame.bytes;
  switch (event.frame.kind) {
    case FrameKind::result:
      results_[static_cast<std::size_t>(rank)] = returned_from(bytes);
      return;
    case FrameKind::checkpoint:
      return take_checkpoint(rank, checkpoint_from(bytes));
    case FrameKind::report:
      break;
  }
  Json metrics = json_from(bytes);
  if (!metrics.is_object()) throw Error(ErrorCode::protocol, "a worker reported metrics that are not an object");
  rows_->add(rank, std::move(metrics), bytes.size());
  make_reports();
}

void RunHandle::Impl::take_checkpoint(int rank, Checkpoint checkpoint) {
  std::int64_t& last = acknowledged_[static_cast<std::size_t>(rank)];
  if (checkpoint.number != last + 1) throw Error(ErrorCode::protocol, "a worker saved a checkpoint out of order");
  ++last;
  if (rank == 0) {
    checkpoint.number += checkpoints_before_;
    checkpoint.iteration = reports_ + rows_->reported(0);
    saved_[last] = std::move(checkpoint);
  }
  if (last == kMostAhead) check_saved_by_all();
  keep_checkpoints();
}

void RunHandle::Impl::check_saved_by_all() const {
  std::string missing;
  for (std::size_t rank = 0; rank < acknowledged_.size(); ++rank)
    if (acknowledged_[rank] == 0) missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
  if (missing.empty() || std::ranges::max(acknowledged_) == 0) return;
  throw_invalid("no checkpoint is kept: save_checkpoint must be called on all ranks, but was not called on rank " +
                missing);
}

void RunHandle::Impl::keep_checkpoints() {
  const std::int64_t all = *std::ranges::min_element(acknowledged_);
  while (!saved_.empty() && saved_.begin()->first <= all) {
    Checkpoint checkpoint = std::move(saved_.begin()->second);
    saved_.erase(saved_.begin());
    CheckpointInfo info{checkpoint.number, "", checkpoint.iteration};
    if (folder_) info.path = folder_->write(checkpoint);
    memory_->checkpoint = checkpoint_ = std::make_shared<const Checkpoint>(std::move(checkpoint));
    callbacks_.checkpoint(info);
  }
}

/// Records the error or the loss of rank `event.rank`. Then requests that the function stops on the other ranks, and
/// breaks their group, so that they do not wait for the missing rank.
void RunHandle::Impl::note_failure(const FunctionCall::Event& event) {
  const bool lost = event.kind == FunctionCall::Event::Kind::lost;
  auto& first = lost ? loss_ : event.blamed >= 0 ? blame_ : failure_;
  if (!first) first = event.error;
  if (!stopping_) stopping_ = Deadline(pool_->options().timeouts.stop);
  if (event.blamed >= 0) return call_->stop(event.blamed, event.error->code(), "is missing: " + event.error->message());
  const std::string how = lost ? "was lost: " : "threw: ";
  call_->stop(event.rank, lost ? ErrorCode::worker_lost : ErrorCode::model_failed, how + event.error->message());
}

void RunHandle::Impl::make_reports() {
  while (auto metrics = rows_->next()) tell({reports_ + rows_->iteration(), watch_.seconds(), std::move(*metrics)});
}

void RunHandle::Impl::tell(const Report& report) {
  callbacks_.report(report);
  owner_.check("this run of a function");  // throws in a child process that a callback has forked
  reported_.push_back(report);
  if (callbacks_.wants_to_stop() && !std::exchange(stop_wanted_, true)) call_->stop();
}

void RunHandle::Impl::conclude() {
  // If a worker was lost, another rank may fail with an error worker_lost that does not name the lost worker. This
  // error is a consequence of the loss, so it does not end the run.
  const bool only_loss = loss_ && failure_ && failure_->code() == ErrorCode::worker_lost;
  if (failure_ && !only_loss) throw Error(*failure_);
  // Even if no worker was lost, a rank can blame another rank with worker_lost, because a connection between their
  // nodes broke. This counts as a loss, so the function is called again.
  if (!loss_ && blame_ && blame_->code() == ErrorCode::worker_lost) loss_ = blame_;
  if (!loss_ && blame_) throw Error(*blame_);
  if (loss_) {
    reports_ = iterations();
    rows_.reset();
    return call_after(loss_);
  }
  if (!stop_wanted_) check_saved_by_all();
  finished_ = true;
  told_ = false;
  callbacks_.end({watch_.seconds(), iterations(), false});
}

void RunHandle::Impl::fail() noexcept {
  if (!owner_.is_this()) return;
  if (!std::exchange(finished_, true)) failed_ = std::current_exception();
  if (std::exchange(told_, false)) {
    callbacks_.failure(error_of(failed_));
    callbacks_.close({watch_.seconds(), iterations(), true});
  }
  wind_up();
}

void RunHandle::Impl::wind_up() noexcept {
  if (call_ && !call_->over()) call_->end(0, "is no longer awaited: the run has ended");
  call_.reset();
  request_.lent.reset();
  if (std::exchange(pool_, nullptr)) memory_->running = false;
}

const RunResults& RunHandle::Impl::returns() {
  while (!finished_) next();
  if (failed_) std::rethrow_exception(failed_);
  wind_up();
  return results_;
}

}  // namespace troupe
