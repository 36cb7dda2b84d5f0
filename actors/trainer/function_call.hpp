#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "actors/functions/outbox.hpp"
#include "actors/trainer/worker_pool.hpp"

namespace troupe {

/// The arguments of one call of a function on the workers of a pool.
struct CallRequest {
  std::uint64_t run = 0;
  int attempt = 1;
  bool single = false;  ///< if true, only the first worker calls the function
  bool awaits_reports = false;
  std::string name;
  std::string config;
  std::string datasets;
  std::string checkpoint;  ///< the checkpoint that the function can load, as bytes; empty: none
};

/// Assembles whole frames from the pieces of a stream that a worker sends (see `Outbox`).
class FrameReader {
 public:
  struct Frame {
    FrameKind kind = FrameKind::report;
    std::string bytes;
  };
  /// Appends the next piece of the stream.
  void add(const std::string& bytes) { bytes_ += bytes; }
  /// Removes and returns the next frame; std::nullopt if no frame is complete yet.
  /// @throws Error protocol if the next frame is invalid
  std::optional<Frame> next();
  /// Returns true if there is no incomplete frame.
  bool empty() const { return begin_ == bytes_.size(); }
  /// Returns the number of bytes that this object stores.
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

/// One call of a function on all workers of a pool, from the start until the function has ended on all of them. The
/// caller repeatedly calls `next`, which returns the functions' output and end as events.
class FunctionCall {
 public:
  /// An event: a function has sent a frame, has returned, or has thrown an error, or its worker was lost.
  struct Event {
    enum class Kind : std::uint8_t { frame, ended, failed, lost };
    Kind kind = Kind::frame;
    int rank = 0;
    FrameReader::Frame frame = {};
    std::optional<Error> error = {};  ///< for `failed` and `lost`: the error
    int blamed = -1;                  ///< for `failed`: another rank that caused the error; -1: none
  };

  /// Starts the function on all workers, and blocks until it has begun on all of them. If it does not begin on all
  /// workers, ends it where it has begun, and throws.
  /// @throws Error from the rounds of messages
  FunctionCall(WorkerPool& pool, CallRequest request);

  int size() const { return static_cast<int>(ranks_.size()); }
  /// Waits for the next event and returns it. Returns std::nullopt if the deadline passes first, or if the function has
  /// ended on all workers.
  /// @throws Error protocol if a worker sends an invalid message; limit_reached if incomplete frames take too much
  /// memory
  std::optional<Event> next(const Deadline& until);
  /// Returns true if the function has ended on all workers and `next` has returned all events.
  bool over() const { return all_ended() && events_.empty(); }

  /// Requests that all functions stop.
  void stop() { tell_all({}); }
  /// Requests that all functions stop, and breaks their group because the rank `absent` is missing: their collectives
  /// then throw an error with `code` and `why`. Only the first call has an effect, because the group is broken
  /// afterwards.
  void stop(int absent, ErrorCode code, const std::string& why);
  /// Calls `stop` for the rank `absent`, and waits until all functions have ended. Abandons functions that do not end
  /// within `timeouts.stop`.
  void end(int absent, const std::string& why) noexcept;
  /// Abandons functions that have not ended, together with their workers, and discards remaining events. Returns the
  /// ranks of these functions.
  std::vector<int> give_up();

 private:
  struct Rank {
    int worker = 0;
    FrameReader frames;
    bool ended = false;
  };

  void begin(const std::vector<std::pair<int, StartFunction>>& starts, const Phase& phase);
  /// Sends the checkpoint to the workers, in pieces.
  void provide_checkpoint(const std::vector<int>& workers, const Phase& phase);
  StartFunction start_of(int rank) const;
  /// Sends `request` to all workers whose functions have not ended. Does not wait for their replies.
  void tell_all(const StopFunction& request);
  /// Requests the next piece of the function's output from a rank.
  void listen(int rank);
  int rank_of(int worker) const;
  bool all_ended() const { return std::ranges::all_of(ranks_, &Rank::ended); }
  /// Called for an answer that belongs to no open request.
  /// @throws Error protocol if it is an answer to `Listen`. Such an answer cannot be ignored: functions have no time
  /// limit, so the driver could wait forever for the output that it contains
  void refuse_unasked(const Answer& answer) const;
  /// Converts a piece of output into events.
  void take(int rank, const Heard& heard);
  /// Checks the memory of incomplete frames.
  /// @throws Error limit_reached if the incomplete frames of all ranks take more than `most_held_` bytes
  void check_memory() const;
  /// Adds an event for each rank whose worker is lost.
  void lose(const Error& loss);
  Phase phase() const { return {"run", -1, Deadline::never()}; }

  WorkerPool& pool_;
  CallRequest request_;
  std::size_t most_held_;  ///< the maximum number of bytes in incomplete frames
  std::vector<Rank> ranks_;
  std::vector<Round> open_;  ///< requests without an answer
  std::deque<Event> events_;
  std::vector<int> heard_;  ///< ranks from which the next piece is requested when no events are left
  bool told_absent_ = false;
};

}  // namespace troupe
