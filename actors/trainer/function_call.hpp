#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "actors/functions/outbox.hpp"
#include "actors/trainer/worker_pool.hpp"

namespace troupe {

/// The arguments of a function call.
struct CallRequest {
  std::uint64_t run = 0;
  int attempt = 1;
  bool single = false;  ///< call only the first worker
  bool awaits_reports = false;
  std::string name;
  std::string config;
  std::string datasets;
  std::string checkpoint;  ///< as bytes; empty: none
};

/// Assembles frames from the pieces of a worker's stream.
class FrameReader {
 public:
  struct Frame {
    FrameKind kind = FrameKind::report;
    std::string bytes;
  };
  void add(const std::string& bytes) { bytes_ += bytes; }
  /// Returns the next complete frame.
  /// @throws Error protocol if the frame is invalid
  std::optional<Frame> next();
  bool empty() const { return begin_ == bytes_.size(); }
  /// Returns the number of bytes that wait for the rest of their frame.
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

/// One call of a function on all workers of a pool, from its start until its end on each of them.
class FunctionCall {
 public:
  /// An event of the call.
  struct Event {
    enum class Kind : std::uint8_t { frame, ended, failed, lost };
    Kind kind = Kind::frame;
    int rank = 0;
    FrameReader::Frame frame = {};
    std::optional<Error> error = {};  ///< for `failed` and `lost`
    int blamed = -1;                  ///< the rank whose failure caused this one; -1: none
  };

  /// Returns when the function has begun on all workers.
  /// @throws Error
  FunctionCall(WorkerPool& pool, CallRequest request);

  int size() const { return static_cast<int>(ranks_.size()); }
  /// Returns the next event; nothing if the deadline passes first, or the function has ended on all workers.
  /// @throws Error protocol
  std::optional<Event> next(const Deadline& until);
  bool over() const { return all_ended() && events_.empty(); }

  /// Asks all functions to stop.
  void stop() { tell_all({}); }
  /// Asks all functions to stop, and ends their waiting for the rank `absent`. Only the first call has an effect: it
  /// ends the group.
  void stop(int absent, ErrorCode code, const std::string& why);
  /// Asks all functions to end, and ends their waiting for the rank `absent`. Abandons functions that do not end within
  /// `timeouts.stop`.
  void end(int absent, const std::string& why) noexcept;
  /// Abandons functions that have not ended, and stops listening. Returns the ranks of these functions.
  std::vector<int> give_up();

 private:
  struct Rank {
    int worker = 0;
    FrameReader frames;
    bool ended = false;
  };

  void begin(const std::vector<std::pair<int, StartFunction>>& starts, const Phase& phase);
  void provide_checkpoint(const std::vector<int>& workers, const Phase& phase);
  StartFunction start_of(int rank) const;
  void tell_all(const StopFunction& request);
  void listen(int rank);
  int rank_of(int worker) const;
  bool all_ended() const { return std::ranges::all_of(ranks_, &Rank::ended); }
  /// Rejects an answer to a question that was not asked. Functions have no time limit, so the real question would never
  /// be answered.
  /// @throws Error protocol
  void refuse_unasked(const Answer& answer) const;
  void take(int rank, const Heard& heard);
  /// @throws Error limit_reached if incomplete frames take too much memory
  void check_memory() const;
  void lose(const Error& loss);
  Phase phase() const { return {"run", -1, Deadline::never()}; }

  WorkerPool& pool_;
  CallRequest request_;
  std::size_t most_held_;  ///< the limit for the bytes of incomplete frames
  std::vector<Rank> ranks_;
  std::vector<Round> open_;  ///< unanswered questions
  std::deque<Event> events_;
  std::vector<int> heard_;  ///< ranks that are asked again when there are no events
  bool told_absent_ = false;
};

}  // namespace troupe
