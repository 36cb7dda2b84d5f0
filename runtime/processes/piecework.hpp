#pragma once

#include <cstddef>
#include <functional>
#include <memory>

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

/// Has it done by threads that all of a process share, one a core, after what was shared out before.
void share_out(std::shared_ptr<Piecework> work);

/// Calls work(begin, end) for pieces of at most `piece` of `count` things, several at once, on other such threads
/// and the caller's; for the last piece on the caller's. Returns when all are done.
/// @throws what the work of the first piece that failed has thrown
void work_in_pieces(std::size_t count, std::size_t piece,
                    const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace troupe
