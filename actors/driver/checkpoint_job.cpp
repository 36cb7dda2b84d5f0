#include "actors/driver/checkpoint_job.hpp"

#include <new>
#include <utility>

#include "models/files/checkpoint/writer.hpp"
#include "runtime/processes/held_signals.hpp"
#include "runtime/processes/limits.hpp"

namespace troupe {

CheckpointJob::CheckpointJob(CheckpointPlan plan) : plan_(std::move(plan)) {
  const HeldSignals held;  // signals are for the user's threads
  thread_ = start_thread([this] { run(); });
}

CheckpointJob::~CheckpointJob() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::optional<int> CheckpointJob::wanted() const {
  const std::lock_guard lock(mutex_);
  return wants() ? std::optional(given_) : std::nullopt;
}

void CheckpointJob::give(HeldFloats vector) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(vector);
    ++given_;
  }
  changed_.notify_all();
}

bool CheckpointJob::has_all() const {
  const std::lock_guard lock(mutex_);
  return given_ == total();
}

bool CheckpointJob::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void CheckpointJob::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || wants(); });
}

std::optional<Error> CheckpointJob::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
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
  CheckpointWriter writer(path(), plan_.manifest, plan_.tensors);
  for (int vector = 0; vector < total(); ++vector) {
    HeldFloats held;
    if (!take(held)) return;
    writer.add(held.floats);
  }
  writer.commit();
  plan_.series.prune(step(), plan_.keep);
}

bool CheckpointJob::take(HeldFloats& vector) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return given_up_ || waiting_; });
    if (given_up_ && !waiting_) return false;
    vector = std::move(*waiting_);
    waiting_.reset();
  }
  changed_.notify_all();
  return true;
}

}  // namespace troupe
