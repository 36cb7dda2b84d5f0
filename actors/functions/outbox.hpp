#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "actors/messages/function.hpp"

namespace troupe {

/// The kind of a frame in the stream of a user function's output (see Outbox).
enum class FrameKind : std::uint8_t { report, checkpoint, result };

/// The stream of a user function's output to the driver. The stream consists of frames. A frame consists of a kind, a
/// length in bytes, and as many bytes of content. The driver requests the stream piece by piece. The function's thread
/// calls `say`, `await_heard` and `end`; the thread of its worker calls `listen` and `close`.
class Outbox {
 public:
  /// A function that sends the reply to the driver's request `Listen`.
  using Tell = std::function<void(Heard)>;

  /// Adds a frame with the content `bytes` to the stream. First blocks while 64 MiB or more of the stream are not yet
  /// sent to the driver.
  void say(FrameKind kind, const std::string& bytes);
  /// Blocks until the driver has processed all frames. The driver requests a piece only after it has processed the
  /// previous piece. So if the driver makes a request when all bytes are sent, all frames are processed.
  void await_heard();
  /// Ends the stream.
  /// @param failure the function's error; without an error code if the function succeeded
  /// @param blamed the rank that caused the error; -1: none
  void end(const Failure& failure, int blamed);
  /// Calls `tell` once with the next piece of the stream, as soon as there is a piece or the stream has ended. If the
  /// `tell` of an earlier `listen` was not called yet, it is never called.
  /// @param round the number of the round to which the request belongs; the reply contains the same number
  void listen(std::uint64_t round, Tell tell);
  /// Makes all present and later calls of `say` and `await_heard` return at once, and discards the frames of later
  /// calls. Called when the driver no longer requests the stream.
  void close();

 private:
  /// Answers the open request with the next piece of the stream, or with the end of the stream. Does nothing if there
  /// is no open request, or neither a piece nor the end.
  void answer(std::unique_lock<std::mutex> lock);

  std::mutex mutex_;
  std::condition_variable taken_;
  std::string bytes_;
  std::size_t begin_ = 0;  ///< index of the first byte in `bytes_` that was not sent to the driver
  bool ended_ = false;
  bool closed_ = false;
  Failure failure_;
  int blamed_ = -1;
  bool heard_ = true;  ///< true if the driver has processed all frames
  std::uint64_t round_ = 0;
  Tell tell_;  ///< answers the open request; empty if there is no open request
};

}  // namespace troupe
