#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "actors/functions/outbox.hpp"
#include "actors/trainer/worker_pool.hpp"

namespace troupe {

/// What a function is called with.
struct CallRequest {
  std::uint64_t run = 0;
  int attempt = 1;
  bool single = false;  ///< on the first worker alone
  bool awaits_reports = false;
  std::string name;
  std::string config;
  std::string datasets;
  std::string checkpoint;  ///< as bytes; empty: none
};

/// Frames out of the pieces in which a worker's stream comes.
class FrameReader {
 public:
  struct Frame {
    FrameKind kind = FrameKind::report;
    std::string bytes;
  };
  void add(const std::string& bytes) { bytes_ += bytes; }
  /// The next whole one. @throws Error protocol for what is none
  std::optional<Frame> next();
  bool empty() const { return begin_ == bytes_.size(); }
  /// Bytes that wait for the rest of their frame.
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

/// One call of a function on all workers of a pool, from its start until it has ended on each.
class FunctionCall {
 public:
  /// What happens.
  struct Event {
    enum class Kind : std::uint8_t { frame, ended, failed, lost };
    Kind kind = Kind::frame;
    int rank = 0;
    FrameReader::Frame frame = {};
    std::optional<Error> error = {};  ///< of failed and lost
    int blamed = -1;                  ///< it failed since this rank did
  };

  /// Has begun everywhere when this returns. @throws Error
  FunctionCall(WorkerPool& pool, CallRequest request);

  int size() const { return static_cast<int>(ranks_.size()); }
  /// The next event; none when the deadline passes first, or the function has ended everywhere. @throws Error protocol
  std::optional<Event> next(const Deadline& until);
  bool over() const { return all_ended() && events_.empty(); }

  /// Functions should stop.
  void stop() { tell_all({}); }
  /// And nobody waits for a rank any more. Only the first that is said to be absent is: that ends the group.
  void stop(int absent, ErrorCode code, const std::string& why);
  /// Functions are to end, and nobody waits for a rank any more; who does not end within `timeouts.stop` is given up.
  void end(int absent, const std::string& why) noexcept;
  /// Those that have not ended are given up, and nobody is heard any more. Returns the ranks.
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
  /// Functions take as long as they like: who answers another question than it was asked would never be done.
  /// @throws Error protocol
  void refuse_unasked(const Answer& answer) const;
  void take(int rank, const Heard& heard);
  /// @throws Error limit_reached where frames that are not whole take too much
  void check_memory() const;
  void lose(const Error& loss);
  Phase phase() const { return {"run", -1, Deadline::never()}; }

  WorkerPool& pool_;
  CallRequest request_;
  std::size_t most_held_;  ///< bytes of frames that are not whole
  std::vector<Rank> ranks_;
  std::vector<Round> open_;  ///< questions that are not answered
  std::deque<Event> events_;
  std::vector<int> heard_;  ///< ranks that are asked again when there are no events
  bool told_absent_ = false;
};

}  // namespace troupe
