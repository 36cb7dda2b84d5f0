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
  std::string checkpoint;  ///< the encoded checkpoint that the function can load; empty if there is none
};

/// Assembles frames from the pieces of the stream of output that a worker sends (see `Outbox`).
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
  /// Returns true if all received bytes were returned in frames, so that no part of a frame is left.
  bool empty() const { return begin_ == bytes_.size(); }
  /// Returns the number of received bytes that this object stores.
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

/// One call of a user's function on the workers of a pool, until the function has ended on all these workers. The
/// caller repeatedly calls `next`, which returns the output and the end of the function on each worker as events.
class FunctionCall {
 public:
  /// An event on rank `rank`: the function has sent a frame, has returned, or has thrown an error, or its worker was
  /// lost.
  struct Event {
    enum class Kind : std::uint8_t { frame, ended, failed, lost };
    Kind kind = Kind::frame;
    int rank = 0;
    FrameReader::Frame frame = {};
    std::optional<Error> error = {};  ///< for `failed` and `lost`: the error
    int blamed = -1;                  ///< for `failed`: another rank, whose absence caused the error; -1: none
  };

  /// Starts the function on all workers (on the first worker if `request.single`), and blocks until the function has
  /// begun on each. If the function does not begin on a worker, ends the function on the others, and throws.
  /// @throws Error the error that kept the function from beginning, such as worker_lost
  FunctionCall(WorkerPool& pool, CallRequest request);

  int size() const { return static_cast<int>(ranks_.size()); }
  /// Blocks until the next event, and returns the event. Returns std::nullopt if the deadline `until` passes first, or
  /// if the function has ended on all workers and no event is left.
  /// @throws Error protocol if a worker sends an invalid message; limit_reached if the frames that are not complete yet
  /// take more than half of the machine's memory
  std::optional<Event> next(const Deadline& until);
  /// Returns true if the function has ended on all workers and `next` has returned all events.
  bool over() const { return all_ended() && events_.empty(); }

  /// Requests that the function stops on all workers.
  void stop() { tell_all({}); }
  /// Requests that the function stops on all workers, and breaks the group of the ranks because rank `absent` is
  /// missing. Collectives of the other ranks then throw an error with `code` and `why`. Only the first call has an
  /// effect, because afterwards the group is broken.
  void stop(int absent, ErrorCode code, const std::string& why);
  /// Calls `stop` for the rank `absent`, and blocks until the function has ended on all workers. After `timeouts.stop`,
  /// abandons the workers on which the function has not ended (`give_up`).
  void end(int absent, const std::string& why) noexcept;
  /// Abandons all workers on which the function has not ended, and marks these workers as lost. Discards all remaining
  /// events. Returns the ranks of the abandoned workers.
  std::vector<int> give_up();

 private:
  struct Rank {
    int worker = 0;
    FrameReader frames;
    bool ended = false;
  };

  void begin(const std::vector<std::pair<int, StartFunction>>& starts, const Phase& phase);
  /// Sends the checkpoint of the request to the workers, in pieces. Sends an empty checkpoint if there is none.
  void provide_checkpoint(const std::vector<int>& workers, const Phase& phase);
  StartFunction start_of(int rank) const;
  /// Sends `request` to all workers on which the function has not ended. Does not wait for the replies.
  void tell_all(const StopFunction& request);
  /// Requests the next piece of the function's output from the worker of rank `rank`.
  void listen(int rank);
  int rank_of(int worker) const;
  bool all_ended() const { return std::ranges::all_of(ranks_, &Rank::ended); }
  /// Called with an answer that belongs to no open request.
  /// @throws Error protocol if it is an answer to `Listen`. Such an answer contains output, so it cannot be ignored.
  /// The driver would wait for that output forever, because functions have no time limit
  void refuse_unasked(const Answer& answer) const;
  /// Converts a piece of the output of rank `rank` into events.
  void take(int rank, const Heard& heard);
  /// Checks the memory of received bytes that were not returned in frames yet.
  /// @throws Error limit_reached if these bytes of all ranks together exceed `most_held_`
  void check_memory() const;
  /// Adds an event for each rank whose worker is lost.
  /// @param loss the error that reported the loss
  void lose(const Error& loss);
  Phase phase() const { return {"run", -1, Deadline::never()}; }

  WorkerPool& pool_;
  CallRequest request_;
  std::size_t most_held_;  ///< the maximum number of received bytes that are not in frames yet
  std::vector<Rank> ranks_;
  std::vector<Round> open_;  ///< requests that have no answer yet
  std::deque<Event> events_;
  std::vector<int> heard_;  ///< ranks from which `next` requests the next piece of output, once no event is left
  bool told_absent_ = false;
};

}  // namespace troupe
