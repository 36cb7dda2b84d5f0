#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>

namespace troupe {

/// Work in pieces, which several threads may do at once.
class Piecework {
 public:
  Piecework() = default;
  Piecework(const Piecework&) = delete;
  Piecework& operator=(const Piecework&) = delete;
  virtual ~Piecework() = default;

  /// Does a piece that nobody has begun with; false where there is none.
  virtual bool do_piece() = 0;
};

/// Pieces of so many things, in their order.
class Pieces : public Piecework {
 public:
  /// @param piece things of one, the last one fewer
  Pieces(std::size_t count, std::size_t piece) : count_(count), piece_(piece) {}

  bool do_piece() final;
  /// Does these things now, on the calling thread; what that throws is for `finish` to throw.
  void attempt(std::size_t begin, std::size_t end);
  /// Begins with no further piece, and waits for those that are begun with.
  void stop();
  /// Does what nobody has begun with, and waits for the rest. @throws what the first piece that failed has thrown
  void finish();
  /// Whether all of it is done, and nothing has failed.
  bool is_done() const;

 private:
  /// May be called by several threads at once.
  virtual void work(std::size_t begin, std::size_t end) = 0;

  const std::size_t count_;
  const std::size_t piece_;
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::size_t next_ = 0;  ///< that nobody has begun with
  int busy_ = 0;
  std::size_t error_at_ = SIZE_MAX;
  std::exception_ptr error_;
};

/// Has it done by threads that all of a process share, one a core, after what was shared out before.
void share_out(std::shared_ptr<Piecework> work);

/// Calls work(begin, end) for pieces of at most `piece` of `count` things, several at once, on other such threads
/// and the caller's; for the last piece on the caller's. Returns when all are done.
/// @throws what the work of the first piece that failed has thrown
void work_in_pieces(std::size_t count, std::size_t piece,
                    const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace troupe
