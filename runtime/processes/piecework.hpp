#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

namespace troupe {

/// Work in pieces, which several threads may do at the same time.
class Piecework {
 public:
  Piecework() = default;
  Piecework(const Piecework&) = delete;
  Piecework& operator=(const Piecework&) = delete;
  virtual ~Piecework() = default;

  /// Does a piece that no thread has started; returns false if there is none.
  virtual bool do_piece() = 0;
};

/// Work on `count` items, divided into pieces that are started in order.
class Pieces : public Piecework {
 public:
  /// @param piece items per piece; the last piece may have fewer
  Pieces(std::size_t count, std::size_t piece) : count_(count), piece_(piece) {}

  bool do_piece() final;
  /// Works on these items now, in the calling thread. `finish` rethrows an exception.
  void attempt(std::size_t begin, std::size_t end);
  /// Starts no further piece, and waits for those that have been started.
  void stop();
  /// Does the pieces that no thread has started, and waits for the others. @throws the exception of the first piece
  /// that failed
  void finish();
  /// Returns whether all pieces are done and none has failed.
  bool is_done() const;

 private:
  /// Works on a range of items. Must be thread-safe.
  virtual void work(std::size_t begin, std::size_t end) = 0;

  const std::size_t count_;
  const std::size_t piece_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t next_ = 0;  ///< first item that no thread has started
  int busy_ = 0;
  std::size_t error_at_ = SIZE_MAX;
  std::exception_ptr error_;
};

/// Queues the work for threads that are shared by the whole process, one per core. They do earlier work first.
void share_out(std::shared_ptr<Piecework> work);

/// Calls work(begin, end) for pieces of at most `piece` of `count` items, on several threads: the caller's and others
/// that the process shares. The caller's thread does the last piece first. Returns when all pieces are done.
/// @throws the exception of the first piece that failed
void work_in_pieces(std::size_t count, std::size_t piece,
                    const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace troupe
