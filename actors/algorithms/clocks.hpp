#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// Counts the progress of workers of an asynchronous algorithm. A worker's clock is the number of gradients that the
/// worker has computed for each of its shards. From the clocks, this class decides when a worker fetches weights,
/// pushes gradients, or waits for slower workers. This class sends no messages.
class Clocks {
 public:
  struct Rules {
    /// A worker fetches weights each time it has computed this number of gradients per shard.
    int fetch_every = 1;
    /// A worker pushes its gradients each time it has computed this number of gradients per shard.
    int push_every = 1;
    /// The largest number by which a worker's clock may exceed the clock of the slowest worker at its last push. None:
    /// unlimited.
    std::optional<int> staleness;
  };
  /// Describes the gradients that a worker computes in response to one request.
  struct Leg {
    std::int64_t step = 0;  ///< the worker's clock at the start
    int gradients = 0;      ///< the number of gradients to compute for each shard
    bool served = false;    ///< the worker has just fetched the weights from which the leg starts
    /// After the leg, the worker does not fetch weights: its next leg continues from its own weights.
    bool goes_on = false;
    bool first = false;  ///< this is the worker's first leg since its last push
  };

  explicit Clocks(const Rules& rules) : rules_(rules) {}

  /// Records that a worker starts or restarts. The worker's next operation is a fetch. A worker that was entered before
  /// keeps its clock. However, if `leave` was called for the worker, its clock is set at least to the clock of the
  /// slowest other worker. Therefore the others need not wait until the returning worker has caught up.
  /// @param clock the clock of the worker, if it was never entered before
  void enter(int worker, std::int64_t clock);
  /// Records that a worker was lost, so that the other workers do not wait for it.
  void leave(int worker);
  /// Sets the worker's clock to `clock`, the value at the worker's last push, and records that the worker restarts; see
  /// `enter`.
  void set_back(int worker, std::int64_t clock);
  /// Keeps the clocks of `workers`, the workers that take part from now on, and forgets all others.
  void keep(const std::vector<int>& workers);
  /// Returns whether the worker may continue to compute. Returns false if the worker's clock is too far ahead of the
  /// slowest worker; see `Rules::staleness`.
  bool may_go(int worker) const;
  /// Records that the worker has fetched weights.
  void fetch(int worker);
  /// Returns the worker's next leg, which ends at the worker's next push or fetch, whichever comes first.
  Leg next_leg(int worker) const;
  /// Records that the worker has computed this leg. Next, the worker must push if `push_due` returns true, and fetch if
  /// `fetch_due` returns true.
  void advance(int worker, const Leg& leg);
  bool push_due(int worker) const;
  bool fetch_due(int worker) const;
  /// Returns whether the worker has computed gradients since its last push.
  bool has_unpushed(int worker) const;
  /// Records that all gradients of the worker up to now were applied, or will not be used.
  void push(int worker);

  std::int64_t clock(int worker) const { return all_.at(worker).clock; }

 private:
  struct Clock {
    std::int64_t clock = 0;
    std::int64_t begun = 0;   ///< the clock when the worker last started or restarted
    std::int64_t pushed = 0;  ///< the clock at the worker's last push
    bool served = false;      ///< the worker has fetched weights, and has not computed since
    /// The worker was lost and has not returned.
    bool away = false;
  };

  std::int64_t slowest_but(int worker) const;

  Rules rules_;
  std::map<int, Clock> all_;
};

}  // namespace troupe
