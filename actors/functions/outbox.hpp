#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "actors/messages/function.hpp"

namespace troupe {

/// The kind of a frame in the stream of a function's output.
enum class FrameKind : std::uint8_t { report, checkpoint, result };

/// The stream of a function's output to the driver. The stream consists of frames: a kind, a length and as many bytes.
/// The driver requests the stream piece by piece. The function's thread calls `say`, `await_heard` and `end`, and its
/// worker's thread calls `listen` and `close`.
class Outbox {
 public:
  /// A function that sends the reply to a `Listen`.
  using Tell = std::function<void(Heard)>;

  /// Adds a frame to the stream. First blocks as long as 64 MB or more wait to be taken by the driver.
  void say(FrameKind kind, const std::string& bytes);
  /// Blocks until the driver has processed all frames. The driver shows this by requesting more when nothing is left.
  void await_heard();
  /// Ends the stream.
  /// @param failure the function's error; without an error code if it succeeded
  /// @param blamed the rank that caused the error; -1: none
  void end(const Failure& failure, int blamed);
  /// Calls `tell` once, as soon as there is data or the stream has ended. An earlier call that was not answered yet is
  /// never answered.
  /// @param round the round of the request, which the reply repeats
  void listen(std::uint64_t round, Tell tell);
  /// Makes `say` and `await_heard` return at once, now and later, because the driver no longer requests the stream.
  /// Discards further frames.
  void close();

 private:
  /// Answers the open request with the next piece of the stream, if there is a request and a piece.
  void answer(std::unique_lock<std::mutex> lock);

  std::mutex mutex_;
  std::condition_variable taken_;
  std::string bytes_;
  std::size_t begin_ = 0;  ///< start of the bytes that have not been taken
  bool ended_ = false;
  bool closed_ = false;
  Failure failure_;
  int blamed_ = -1;
  bool heard_ = true;  ///< true if the driver has taken and processed all data
  std::uint64_t round_ = 0;
  Tell tell_;  ///< answers the open request; empty: there is none
};

}  // namespace troupe
