#include "runtime/processes/page_lock.hpp"

#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "runtime/log.hpp"
#include "runtime/processes/held_signals.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/processes/memory.hpp"

namespace troupe {
namespace {

using GiveBack = void (*)(void* start, std::size_t bytes);

/// The state of a range of memory that can be locked.
struct Mapped {
  std::size_t bytes;
  bool writable;
  bool locked = false;
};

/// A task of the locking thread. If `give_back` is null, the thread locks the memory at `start`. Otherwise it unlocks
/// the memory and calls `give_back`, which returns the memory to the system.
struct Task {
  void* start;
  GiveBack give_back = nullptr;
};

/// The register of all lockable memory of this process, and the thread that locks this memory.
class Mappings {
 public:
  /// Registers fork handlers that lock the mutex before each fork, and unlock it afterwards in parent and child.
  /// Without them, another thread could hold the mutex during the fork, and the child would wait for the mutex forever.
  Mappings() {
    ::pthread_atfork([] { shared().mutex_.lock(); }, [] { shared().mutex_.unlock(); },
                     [] { shared().mutex_.unlock(); });
  }

  static Mappings& shared() {
    static auto& all = *new Mappings;  // never destroyed: mappings may outlive static objects
    return all;
  }

  void lock_by(const PageLock& by) {
    const HeldSignals held;  // signals must be handled on the user's threads
    const std::scoped_lock lock(mutex_);
    if (by_) return;
    start_thread([this] { run(); }).detach();
    by_ = by;
    for (const auto& [start, each] : all_) add({start});
    std::atexit([] { shared().end(); });
  }

  bool locks() {
    const std::scoped_lock lock(mutex_);
    return by_.has_value();
  }

  void begin(void* start, std::size_t bytes, bool writable) {
    const std::scoped_lock lock(mutex_);
    all_.insert_or_assign(start, Mapped{bytes, writable});
    try {
      if (by_) add({start});
    } catch (...) {
      all_.erase(start);
      throw;
    }
  }

  void end(void* start, GiveBack give_back) {
    std::unique_lock lock(mutex_);
    if (by_) return add({start, give_back});
    const std::size_t bytes = all_.extract(start).mapped().bytes;
    lock.unlock();
    give_back(start, bytes);
  }

  /// Returns the number of writable bytes that could not be locked since the last call.
  std::size_t await() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this, until = added_] { return finished_ >= until; });
    return std::exchange(unlocked_, 0);
  }

 private:
  void add(const Task& task) {
    tasks_.push_back(task);
    ++added_;
    changed_.notify_one();
  }

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !tasks_.empty() && !ended_; });
      const Task task = tasks_.front();
      tasks_.pop_front();
      task.give_back == nullptr ? lock_pages(lock, task.start) : unlock_pages(lock, task);
      ++finished_;
      done_.notify_all();
    }
  }

  void lock_pages(std::unique_lock<std::mutex>& lock, void* start) {
    const Mapped mapped = all_.at(start);
    lock.unlock();
    const bool locked = by_->lock(start, mapped.bytes, mapped.writable);
    lock.lock();
    all_.at(start).locked = locked;
    if (mapped.writable && !locked) unlocked_ += mapped.bytes;
  }

  /// Unlocks the memory of `task`, and returns the memory to the system. Memory that cannot be unlocked stays allocated
  /// and registered. `lock` is released while other code is called.
  void unlock_pages(std::unique_lock<std::mutex>& lock, const Task& task) {
    const Mapped mapped = all_.at(task.start);
    lock.unlock();
    const bool free = !mapped.locked || by_->unlock(task.start);
    lock.lock();
    if (!free) return;
    all_.erase(task.start);  // before `give_back`, after which other memory may get the same addresses
    lock.unlock();
    task.give_back(task.start, mapped.bytes);
    lock.lock();
  }

  /// Runs when the process exits, before the device's libraries end. Waits at most two seconds until the locking thread
  /// has finished its tasks, which call these libraries. Then prevents the thread from starting other tasks.
  void end() {
    constexpr std::chrono::seconds kTimeout{2};
    if (!owner_.is_this()) return;  // the thread belongs to another process
    std::unique_lock lock(mutex_);
    done_.wait_for(lock, kTimeout, [this] { return finished_ == added_; });
    ended_ = true;
  }

  const OwningProcess owner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable done_;
  std::map<void*, Mapped> all_;
  std::optional<PageLock> by_;  ///< set once, never changed
  std::deque<Task> tasks_;
  std::uint64_t added_ = 0;
  std::uint64_t finished_ = 0;
  std::size_t unlocked_ = 0;  ///< the number of writable bytes that could not be locked, and are not in the log yet
  bool ended_ = false;
};

void delete_pages(void* start, std::size_t /*bytes*/) { ::operator delete (start, std::align_val_t{kPageBytes}); }

}  // namespace

void lock_mappings(const PageLock& by) { Mappings::shared().lock_by(by); }

bool locks_mappings() { return Mappings::shared().locks(); }

void await_page_locks() {
  const std::size_t unlocked = Mappings::shared().await();
  if (unlocked == 0) return;
  log_line(LogLevel::warning,
           std::to_string(unlocked >> 10) +
               " KB of memory could not be locked for copies from and to devices: the processor copies instead, which "
               "takes longer");
}

void note_mapped(void* start, std::size_t bytes, bool writable) { Mappings::shared().begin(start, bytes, writable); }

void end_mapped(void* start, GiveBack give_back) noexcept {
  try {
    Mappings::shared().end(start, give_back);
  } catch (const std::bad_alloc&) {  // the memory then stays allocated
  }
}

void* allocate_lockable(std::size_t bytes) {
  const std::size_t whole = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  void* const start = ::operator new (whole, std::align_val_t{kPageBytes});
  try {
    note_mapped(start, whole, /*writable=*/true);
  } catch (...) {
    delete_pages(start, whole);
    throw;
  }
  return start;
}

void free_lockable(void* start) noexcept { end_mapped(start, delete_pages); }

}  // namespace troupe
