#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// The clocks of workers. A worker's clock counts the gradients that it has computed for each of its shards. Decides
/// when a worker fetches, pushes, or waits for others. Sends nothing.
class Clocks {
 public:
  struct Rules {
    int fetch_every = 1;
    int push_every = 1;
    std::optional<int> staleness;  ///< how far a worker may be ahead of the slowest; none: unlimited
  };
  /// The gradients that a worker computes in response to one request.
  struct Leg {
    std::int64_t step = 0;  ///< the worker's clock at the start
    int gradients = 0;      ///< per shard
    bool served = false;    ///< uses weights that were just fetched
    bool goes_on = false;   ///< the next leg continues with the worker's own weights
    bool first = false;     ///< first leg since the last push
  };

  explicit Clocks(const Rules& rules) : rules_(rules) {}

  /// Lets a worker start, or start again, with a fetch. A known worker keeps its clock, but a worker that was away
  /// catches up with the slowest of the others.
  /// @param clock the clock of a worker that is not known yet
  void enter(int worker, std::int64_t clock);
  /// Records that a worker was lost, so that others do not wait for it.
  void leave(int worker);
  /// Sets the clock back to its value at the last push, as if the worker had ended then.
  void set_back(int worker, std::int64_t clock);
  /// Keeps only these workers, which take part from now on, and forgets the others.
  void keep(const std::vector<int>& workers);
  /// Whether the worker may continue after its push. Returns false if its clock is too far ahead of the slowest worker.
  bool may_go(int worker) const;
  /// Records that weights were sent to the worker.
  void fetch(int worker);
  Leg next_leg(int worker) const;
  /// Records that the worker has computed this leg. Next comes a push, a fetch, or both: see `push_due` and
  /// `fetch_due`.
  void advance(int worker, const Leg& leg);
  bool push_due(int worker) const;
  bool fetch_due(int worker) const;
  /// Whether the worker has gradients that are not pushed.
  bool has_unpushed(int worker) const;
  /// Records that the worker's gradients were applied or dropped.
  void push(int worker);

  std::int64_t clock(int worker) const { return all_.at(worker).clock; }

 private:
  struct Clock {
    std::int64_t clock = 0;
    std::int64_t begun = 0;   ///< its clock when it started
    std::int64_t pushed = 0;  ///< its clock at the last push
    bool served = false;      ///< it has fetched and not computed since
    bool away = false;
  };

  std::int64_t slowest_but(int worker) const;

  Rules rules_;
  std::map<int, Clock> all_;
};

}  // namespace troupe
