#include "actors/driver/checkpoints/checkpoints.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "runtime/invalid.hpp"
#include "runtime/log.hpp"

namespace troupe {
namespace {

/// The number of consecutive failed fetches after which a checkpoint fails. Lost workers are replaced before each
/// attempt.
constexpr int kMostFailedFetches = 3;
/// The fraction of a step's time that fetching a part after the step may take.
constexpr double kShare = 0.05;
/// The smallest and the largest size to request for a part, in floats. A part may exceed the largest size by a part of
/// its last tensor, because it contains only whole tensors.
constexpr std::size_t kLeastFloats = std::size_t{1} << 18;
constexpr std::size_t kMostFloats = std::size_t{1} << 23;
/// The assumed speed of fetching, until the first part was fetched.
constexpr double kFirstFloatsASecond = 2.5e8;

/// Throws an error if the folder of the series already contains checkpoints. Called if the run does not resume from
/// them. Otherwise the run would remove these checkpoints as older ones of its own, and a later run that resumes could
/// mix the two runs.
void check_fresh(const CheckpointSeries& series) {
  const auto saved = series.list();
  if (saved.empty()) return;
  throw Error(ErrorCode::invalid_argument,
              "the folder already has checkpoints, up to step " + std::to_string(saved.front().step) +
                  ": resume from them (checkpoint.resume), or use another folder",
              {.object = series.folder()});
}

/// Returns the name of `best` in manifests.
std::string name_of(KeepBest best) {
  if (best == KeepBest::none) return "";
  return best == KeepBest::highest ? kHighest : kLowest;
}

}  // namespace

Checkpoints::Checkpoints(const Options& options, std::unique_ptr<CheckpointSource> source)
    : options_(options.checkpoint),
      series_(options_.folder),
      lock_(series_),
      source_(std::move(source)),
      floats_a_second_(kFirstFloatsASecond),
      next_(options_.every) {
  series_.tidy();
  if (!options_.resume) check_fresh(series_);
}

Checkpoints::~Checkpoints() { finish(); }

CheckpointReport Checkpoints::advance(std::int64_t before, std::int64_t step, double seconds) noexcept {
  const Stopwatch watch;
  collect();
  if (is_due(before, step)) {
    next_ = Deadline(options_.every);
    job_ ? static_cast<void>(++report_.skipped) : begin({});
  }
  source_->stays() ? fetch_next(kShare * seconds) : fetch_all();
  if (!final_) tell();
  report_.writing = job_ != nullptr;
  report_.seconds = watch.seconds();
  return report_;
}

void Checkpoints::throw_final() {
  if (!final_) return;
  told_ = true;
  throw Error(*std::exchange(final_, std::nullopt));
}

std::string Checkpoints::make(std::optional<double> metric) {
  bring_to_end();
  throw_final();
  tell();
  begin(metric);
  bring_to_end();
  throw_final();
  if (!failure_) return report_.path;
  told_ = true;
  throw Error(*failure_);
}

void Checkpoints::finish() noexcept {
  bring_to_end();
  tell();
}

void Checkpoints::branch(std::int64_t step) noexcept {
  finish();
  branched_at_ = step;
}

void Checkpoints::abandon() noexcept { job_ && parts_->done() ? bring_to_end() : drop(); }

bool Checkpoints::is_due(std::int64_t before, std::int64_t step) const {
  if (options_.every_steps > 0 && step / options_.every_steps > before / options_.every_steps) return true;
  return options_.every.count() > 0 && next_.passed();
}

void Checkpoints::begin(std::optional<double> metric) try {
  failed_fetches_ = 0;
  pin_ = source_->pin();
  const std::string best = name_of(options_.keep_best);
  CheckpointPlan plan{series_, options_.keep, best, source_->manifest(*pin_), source_->tensors(), source_->network()};
  if (metric) plan.manifest.metric = {*metric, best};
  plan.full_disk = source_->finds_full_disk(plan.manifest.step);
  parts_.emplace(plan.tensors, 1 + static_cast<int>(plan.manifest.state.size()));
  job_ = std::make_unique<CheckpointJob>(std::move(plan));
} catch (const Error& error) {
  fail(error);
} catch (const std::exception& error) {
  fail(Error(ErrorCode::system, error.what()));
}

void Checkpoints::fetch_next(double seconds) try {
  if (!job_ || !job_->wants()) return;
  const VectorPart part = parts_->next(floats_in(seconds));
  const Stopwatch watch;
  HeldFloats floats = source_->fetch(*pin_, part);
  if (part.floats >= kLeastFloats) floats_a_second_ = static_cast<double>(part.floats) / watch.seconds();
  parts_->pass(part);
  job_->give(std::move(floats), parts_->done());
  failed_fetches_ = 0;
  if (parts_->done()) let_go();
} catch (const Error& error) {
  const bool final = source_->is_final(error);
  if (final) final_ = error;
  if (final || ++failed_fetches_ == kMostFailedFetches) fail(error);
} catch (const std::exception& error) {
  fail(Error(ErrorCode::system, error.what()));
}

void Checkpoints::fetch_all() {
  while (job_ && pin_) {
    fetch_next(std::numeric_limits<double>::max());
    if (job_ && pin_) job_->wait();
  }
}

std::size_t Checkpoints::floats_in(double seconds) const {
  if (!source_->gives_parts()) return std::numeric_limits<std::size_t>::max();
  const double floats = seconds * floats_a_second_;
  if (floats >= static_cast<double>(kMostFloats)) return kMostFloats;
  return std::max(kLeastFloats, static_cast<std::size_t>(floats));
}

void Checkpoints::bring_to_end() {
  for (collect(); job_; collect()) {
    fetch_next(std::numeric_limits<double>::max());
    if (job_) job_->wait();
  }
}

void Checkpoints::collect() {
  if (!job_ || !job_->ended()) return;
  if (const auto error = job_->error()) return fail(*error);
  source_->note_written(job_->path(), job_->step());
  tell_not_pruned(job_->not_pruned());
  leave_branch();
  report_.path = job_->path();
  report_.step = job_->step();
  report_.error.clear();
  failure_.reset();
  told_ = false;
  drop();
}

void Checkpoints::fail(const Error& error) {
  failure_ = error;
  report_.error = error.what();
  drop();
}

void Checkpoints::drop() {
  job_.reset();
  let_go();
}

void Checkpoints::let_go() {
  if (pin_) source_->unpin(*pin_);
  pin_.reset();
}

void Checkpoints::tell_not_pruned(const std::optional<Error>& error) {
  if (error && !told_not_pruned_)
    log_line(LogLevel::warning, std::string("an old checkpoint could not be removed: ") + error->what(),
             error->where());
  told_not_pruned_ = error.has_value();
}

void Checkpoints::leave_branch() try {
  if (branched_at_) series_.branch(*std::exchange(branched_at_, std::nullopt), job_->step());
} catch (const Error& error) {
  log_line(LogLevel::warning, std::string("checkpoints of the abandoned branch could not be renamed: ") + error.what(),
           error.where());
}

void Checkpoints::tell() {
  if (!failure_ || std::exchange(told_, true)) return;
  log_line(LogLevel::warning, "cannot write a checkpoint; the run continues: " + report_.error, failure_->where());
}

}  // namespace troupe
