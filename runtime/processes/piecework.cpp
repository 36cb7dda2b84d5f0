#include "runtime/processes/piecework.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe {
namespace {

/// Returns the wanted number of threads, which is the number of usable cores. The number of cores is read from the
/// system at most once a second, because that takes time: the caller's work may take only 30 microseconds.
int wanted_threads() {
  using std::chrono::steady_clock;
  static std::atomic<int> known = 0;
  static std::atomic<steady_clock::rep> looked = 0;
  const steady_clock::rep now = steady_clock::now().time_since_epoch().count();
  constexpr steady_clock::rep kEvery =
      std::chrono::duration_cast<steady_clock::duration>(std::chrono::seconds(1)).count();
  if (known == 0 || now - looked > kEvery) {
    looked = now;
    known = usable_cores();
  }
  return known;
}

/// Threads that do queued work in the order of its arrival. The process has two sets of threads. The set `waited_for`
/// does the work of `work_in_pieces`, for which a caller waits. The set `shared_out` does the work of `share_out`,
/// which may read from a slow disk, and so must not delay the first set.
class PieceThreads {
 public:
  enum class Of : unsigned char { shared_out, waited_for };

  /// Returns the process's set of threads of a kind. The set is never destroyed, because abandoned replicas may use it
  /// after the end of main. A child made by fork gets a new set, because it has none of its parent's threads. The old
  /// set cannot be used: its condition variable still counts the parent's threads as waiting.
  static PieceThreads& all(Of kind) {
    static std::array<std::atomic<PieceThreads*>, 2> of_kind{};
    std::atomic<PieceThreads*>& known = of_kind[static_cast<std::size_t>(kind)];
    PieceThreads* threads = known;
    if (threads != nullptr && threads->owner_.is_this()) return *threads;
    auto fresh = std::make_unique<PieceThreads>();
    return *(known.compare_exchange_strong(threads, fresh.get()) ? fresh.release() : threads);
  }

  void add(std::shared_ptr<Piecework> work) {
    const int wanted = wanted_threads();
    const std::lock_guard lock(mutex_);
    try {
      for (; running_ < wanted; ++running_) std::thread([this] { run(); }).detach();
    } catch (const std::system_error&) {
      if (running_ == 0) return;  // the owner of the work will do the pieces itself
    }
    waiting_.push_back(std::move(work));
    added_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      added_.wait(lock, [this] { return !waiting_.empty(); });
      std::shared_ptr<Piecework> work = waiting_.front();
      lock.unlock();
      const bool done = work->do_piece();
      lock.lock();
      if (!done) std::erase(waiting_, work);
      lock.unlock();
      work.reset();  // destroying the work may take time
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<std::shared_ptr<Piecework>> waiting_;
  int running_ = 0;
  OwningProcess owner_;  ///< the process that has the threads
};

/// The pieces of one call of `work_in_pieces`. After the call has returned, this object may still exist, but no longer
/// calls `work`.
class CalledPieces final : public Pieces {
 public:
  CalledPieces(std::size_t count, std::size_t piece, const std::function<void(std::size_t, std::size_t)>& work)
      : Pieces(count, piece), work_(work) {}

 private:
  void work(std::size_t begin, std::size_t end) override { work_(begin, end); }

  const std::function<void(std::size_t, std::size_t)>& work_;
};

}  // namespace

bool Pieces::do_piece() {
  std::size_t begin = 0;
  {
    const std::lock_guard lock(mutex_);
    if (next_ >= count_) return false;
    begin = next_;
    next_ = std::min(count_, begin + piece_);
    ++busy_;
  }
  attempt(begin, std::min(count_, begin + piece_));
  const std::lock_guard lock(mutex_);
  if (--busy_ == 0) idle_.notify_all();
  return true;
}

void Pieces::attempt(std::size_t begin, std::size_t end) try {
  const ForkBarrier barrier;
  work(begin, end);
} catch (...) {
  const std::lock_guard lock(mutex_);
  if (begin >= error_at_) return;  // keeps the error of the piece with the lowest item numbers
  error_at_ = begin;
  error_ = std::current_exception();
}

void Pieces::stop() {
  std::unique_lock lock(mutex_);
  next_ = count_;
  idle_.wait(lock, [this] { return busy_ == 0; });
}

void Pieces::finish() {
  while (do_piece()) continue;
  stop();
  if (error_) std::rethrow_exception(error_);
}

bool Pieces::is_done() const {
  const std::lock_guard lock(mutex_);
  return next_ >= count_ && busy_ == 0 && !error_;
}

void share_out(std::shared_ptr<Piecework> work) {
  PieceThreads::all(PieceThreads::Of::shared_out).add(std::move(work));
}

void work_in_pieces(std::size_t count, std::size_t piece, const std::function<void(std::size_t, std::size_t)>& work) {
  if (count <= piece) return work(0, count);
  const std::size_t last = (count - 1) / piece * piece;
  const auto pieces = std::make_shared<CalledPieces>(last, piece, work);
  PieceThreads::all(PieceThreads::Of::waited_for).add(pieces);
  pieces->attempt(last, count);
  pieces->finish();
}

}  // namespace troupe
