#include "actors/driver/checkpoints/checkpoint_job.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include "models/files/checkpoint/writer.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/processes/held_signals.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {

CheckpointJob::CheckpointJob(CheckpointPlan plan) : plan_(std::move(plan)) {
  const HeldSignals held;  // block signals in the new thread: they must be handled on the user's threads
  thread_ = start_thread([this] { run(); });
}

CheckpointJob::~CheckpointJob() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = !has_all_;
  }
  changed_.notify_all();
  thread_.join();
}

bool CheckpointJob::wants() const {
  const std::lock_guard lock(mutex_);
  return takes();
}

void CheckpointJob::give(HeldFloats part, bool last) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(part);
    has_all_ = last;
  }
  changed_.notify_all();
}

bool CheckpointJob::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void CheckpointJob::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || takes(); });
}

std::optional<Error> CheckpointJob::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

std::optional<Error> CheckpointJob::not_pruned() const {
  const std::lock_guard lock(mutex_);
  return not_pruned_;
}

void CheckpointJob::run() {
  std::optional<Error> error;
  try {
    write();
  } catch (const Error& failure) {
    error = failure;
  } catch (const std::bad_alloc&) {
    error = no_memory("a checkpoint cannot be written");
  } catch (const std::exception& failure) {
    error = Error(ErrorCode::system, std::string("a checkpoint cannot be written: ") + failure.what());
  }
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ended_ = true;
  }
  changed_.notify_all();
}

void CheckpointJob::write() {
  CheckpointWriter writer(path(), plan_.manifest, plan_.tensors, plan_.network);
  while (const auto part = take()) {
    writer.add(part->floats);
    if (!plan_.full_disk) continue;
    errno = ENOSPC;
    throw_cannot("write", path());
  }
  {
    const std::lock_guard lock(mutex_);
    if (given_up_) return;
  }
  writer.commit();
  prune();
}

/// Removes older checkpoints of the series, except those to keep. A failure does not affect the new checkpoint.
void CheckpointJob::prune() try {
  plan_.series.prune(step(), plan_.keep, plan_.keep_best);
} catch (const Error& error) {
  const std::lock_guard lock(mutex_);
  not_pruned_ = error;
} catch (const std::exception& error) {
  const std::lock_guard lock(mutex_);
  not_pruned_ = Error(ErrorCode::system, error.what());
}

std::optional<HeldFloats> CheckpointJob::take() {
  std::optional<HeldFloats> part;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return given_up_ || waiting_ || has_all_; });
    part.swap(waiting_);
  }
  changed_.notify_all();
  return part;
}

}  // namespace troupe
