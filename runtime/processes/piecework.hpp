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

  /// Does one piece that no thread has started yet. Returns false if all pieces have been started. Thread-safe.
  virtual bool do_piece() = 0;
};

/// Work on items 0 to `count` - 1, divided into pieces of consecutive items. Pieces are started in the order of their
/// items.
class Pieces : public Piecework {
 public:
  /// @param count number of items
  /// @param piece number of items of each piece; the last piece may have fewer
  Pieces(std::size_t count, std::size_t piece) : count_(count), piece_(piece) {}

  bool do_piece() final;
  /// Calls `work` for the items [begin, end) in the calling thread. If `work` throws, stores the exception, which
  /// `finish` rethrows.
  void attempt(std::size_t begin, std::size_t end);
  /// Prevents `do_piece` from starting further pieces, and blocks until all started pieces are done.
  void stop();
  /// Does all pieces that no thread has started yet, and blocks until the other pieces are done, too.
  /// @throws the exception of the piece with the lowest item numbers among the failed pieces, if pieces have failed
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

/// Adds `work` to the queue of threads that the whole process shares, one thread per usable core. These threads do the
/// pieces of the oldest work in the queue first. If no such thread can be started, the work is not queued. The caller
/// must therefore do the remaining pieces itself, for example with `Pieces::finish`.
void share_out(std::shared_ptr<Piecework> work);

/// Divides the items [0, count) into pieces of at most `piece` items, and calls `work(begin, end)` for each piece. The
/// calls run concurrently, on the caller's thread and on threads that the whole process shares. Returns when all pieces
/// are done. The caller's thread does the last piece first.
/// @throws the exception of the piece with the lowest item numbers among the failed pieces, if pieces have failed
void work_in_pieces(std::size_t count, std::size_t piece,
                    const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace troupe
