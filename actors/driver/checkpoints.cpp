#include "actors/driver/checkpoints.hpp"

#include <filesystem>
#include <iostream>
#include <utility>

#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// A worker that is lost is replaced before the next try.
constexpr int kMostFailedFetches = 3;

/// Two runs in one folder, one after the other, would prune each other's checkpoints and go on from the wrong ones.
void check_continues(const CheckpointSeries& series, const std::string& resume_from) {
  const auto saved = series.list();
  std::error_code ignored;
  if (saved.empty() || std::filesystem::equivalent(series.folder(), resume_from, ignored)) return;
  throw Error(ErrorCode::invalid_argument,
              "there are checkpoints already, up to step " + std::to_string(saved.front().step) +
                  ": go on from them (resume_from, --resume), or name another folder",
              {.object = series.folder()});
}

}  // namespace

Checkpoints::Checkpoints(const Options& options, std::unique_ptr<CheckpointSource> source)
    : options_(options.checkpoint),
      series_(options_.folder),
      lock_(series_),
      source_(std::move(source)),
      next_(options_.every) {
  series_.tidy();
  check_continues(series_, options.resume_from);
}

Checkpoints::~Checkpoints() { finish(); }

CheckpointReport Checkpoints::advance(std::int64_t step) noexcept {
  const Stopwatch watch;
  collect();
  if (is_due(step)) {
    next_ = Deadline(options_.every);
    job_ ? static_cast<void>(++report_.skipped) : begin();
  }
  fetch_next();
  tell();
  report_.writing = job_ != nullptr;
  report_.seconds = watch.seconds();
  return report_;
}

std::string Checkpoints::make() {
  finish();
  begin();
  bring_to_end();
  if (!failure_) return report_.path;
  told_ = true;
  throw Error(*failure_);
}

void Checkpoints::finish() noexcept {
  bring_to_end();
  tell();
}

void Checkpoints::abandon() noexcept { job_ && job_->has_all() ? bring_to_end() : drop(); }

bool Checkpoints::is_due(std::int64_t step) const {
  if (options_.every_steps > 0 && step % options_.every_steps == 0) return true;
  return options_.every.count() > 0 && next_.passed();
}

void Checkpoints::begin() try {
  failed_fetches_ = 0;
  pin_ = source_->pin();
  job_ = std::make_unique<CheckpointJob>(
      CheckpointPlan{series_, options_.keep, source_->manifest(*pin_), source_->tensors()});
} catch (const Error& error) {
  fail(error);
} catch (const std::exception& error) {
  fail(Error(ErrorCode::system, error.what()));
}

void Checkpoints::fetch_next() try {
  const auto vector = job_ ? job_->wanted() : std::nullopt;
  if (!vector) return;
  job_->give(source_->fetch(*pin_, *vector));
  failed_fetches_ = 0;
  if (job_->has_all()) let_go();
} catch (const Error& error) {
  if (++failed_fetches_ == kMostFailedFetches) fail(error);
} catch (const std::exception& error) {
  fail(Error(ErrorCode::system, error.what()));
}

void Checkpoints::bring_to_end() {
  for (collect(); job_; collect()) {
    fetch_next();
    if (job_) job_->wait();
  }
}

void Checkpoints::collect() {
  if (!job_ || !job_->ended()) return;
  if (const auto error = job_->error()) return fail(*error);
  source_->note_written(job_->path());
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

void Checkpoints::tell() {
  if (!failure_ || std::exchange(told_, true)) return;
  std::cerr << "troupe: no checkpoint, and the run goes on: " + report_.error + "\n" << std::flush;
}

}  // namespace troupe
