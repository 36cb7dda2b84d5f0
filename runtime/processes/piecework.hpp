#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

namespace troupe {

/// Work that is divided into pieces, which several threads may do at the same time.
class Piecework {
 public:
  Piecework() = default;
  Piecework(const Piecework&) = delete;
  Piecework& operator=(const Piecework&) = delete;
  virtual ~Piecework() = default;

  /// Does a piece that no thread has started yet. Returns false if there is no such piece. Thread-safe.
  virtual bool do_piece() = 0;
};

/// Work on `count` items, divided into pieces that are started in order.
class Pieces : public Piecework {
 public:
  /// @param piece items per piece; the last piece may have fewer
  Pieces(std::size_t count, std::size_t piece) : count_(count), piece_(piece) {}

  bool do_piece() final;
  /// Calls `work` for the items [begin, end) in the calling thread. Stores an exception, which `finish` rethrows.
  void attempt(std::size_t begin, std::size_t end);
  /// Makes `do_piece` start no more pieces, and waits for the pieces that have been started.
  void stop();
  /// Does all pieces that no thread has started yet, and waits for the other pieces. @throws the exception of the
  /// failed piece with the lowest items, if pieces have failed
  void finish();
  /// Returns whether all pieces are done and none has failed.
  bool is_done() const;

 private:
  /// Works on the items [begin, end). Must be thread-safe.
  virtual void work(std::size_t begin, std::size_t end) = 0;

  const std::size_t count_;
  const std::size_t piece_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t next_ = 0;             ///< first item that no thread has started
  int busy_ = 0;                     ///< number of pieces that threads are working on
  std::size_t error_at_ = SIZE_MAX;  ///< first item of the piece that threw `error_`
  std::exception_ptr error_;
};

/// Queues work for threads that the whole process shares, one per usable core. These threads start pieces of the oldest
/// work first. If no thread can be started, drops the work, and its owner must do it, as `Pieces::finish` does.
void share_out(std::shared_ptr<Piecework> work);

/// Divides the items [0, count) into pieces of at most `piece` items, and calls `work(begin, end)` for each piece. The
/// calls run concurrently, on the caller's thread and on threads that the process shares. Returns when all pieces are
/// done. The caller's thread begins with the last piece.
/// @throws the exception of the failed piece with the lowest items, if pieces have failed
void work_in_pieces(std::size_t count, std::size_t piece,
                    const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace troupe
