#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "actors/messages/function.hpp"

namespace troupe {

/// The kind of a frame in a function's stream.
enum class FrameKind : std::uint8_t { report, checkpoint, result };

/// The stream from a function to the driver: frames of a kind, a length and that many bytes, which the driver takes in
/// pieces. For two threads: the function's thread calls `say`, and its worker's thread calls `listen`.
class Outbox {
 public:
  using Tell = std::function<void(Heard)>;

  /// Adds a frame. Waits while 64 MB have not been taken.
  void say(FrameKind kind, const std::string& bytes);
  /// Returns when the driver has processed all frames, which it shows by asking for more.
  void await_heard();
  /// Marks the end of the stream.
  void end(const Failure& failure, int blamed);
  /// Answers as soon as there is data. An earlier call that was not answered stays unanswered.
  void listen(std::uint64_t round, Tell tell);
  /// Ends all waiting, because no driver listens any more.
  void close();

 private:
  void answer(std::unique_lock<std::mutex> lock);

  std::mutex mutex_;
  std::condition_variable taken_;
  std::string bytes_;
  std::size_t begin_ = 0;  ///< start of the bytes that have not been taken
  bool ended_ = false;
  bool closed_ = false;
  Failure failure_;
  int blamed_ = -1;
  bool heard_ = true;  ///< all data has been taken and processed
  std::uint64_t round_ = 0;
  Tell tell_;  ///< answers the open request; empty: there is none
};

}  // namespace troupe
