#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "actors/messages/function.hpp"

namespace troupe {

/// What comes in the stream of a function.
enum class FrameKind : std::uint8_t { report, checkpoint, result };

/// What a function has to say to the driver: frames of a kind, a length and so many bytes, one after the other, taken
/// in pieces. For two threads: the function's, which says, and its worker's, which asks.
class Outbox {
 public:
  using Tell = std::function<void(Heard)>;

  /// Waits while 64 MB have not been taken.
  void say(FrameKind kind, const std::string& bytes);
  /// Returns once the driver has dealt with all that was said: it asks for more.
  void await_heard();
  /// The last word.
  void end(const Failure& failure, int blamed);
  /// Answers once there is something to say; what was asked before and is not answered is not.
  void listen(std::uint64_t round, Tell tell);
  /// Nobody listens any more, so nobody waits for that.
  void close();

 private:
  void answer(std::unique_lock<std::mutex> lock);

  std::mutex mutex_;
  std::condition_variable taken_;
  std::string bytes_;
  std::size_t begin_ = 0;  ///< of what has not been taken
  bool ended_ = false;
  bool closed_ = false;
  Failure failure_;
  int blamed_ = -1;
  bool heard_ = true;  ///< all that was said has been taken, and dealt with
  std::uint64_t round_ = 0;
  Tell tell_;  ///< of who asks; empty: nobody does
};

}  // namespace troupe
