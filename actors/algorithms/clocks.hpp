#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// Counts the progress of workers. A worker's clock is the number of gradients that it has computed for each of its
/// shards. From the clocks, this class decides when a worker fetches, pushes, or waits for others. This class sends no
/// messages.
class Clocks {
 public:
  struct Rules {
    int fetch_every = 1;
    int push_every = 1;
    std::optional<int> staleness;  ///< how far a worker's clock may be ahead of the slowest worker; none: unlimited
  };
  /// The gradients that a worker computes in response to one request.
  struct Leg {
    std::int64_t step = 0;  ///< the worker's clock at the start
    int gradients = 0;      ///< the number of gradients per shard
    bool served = false;    ///< the leg starts from weights that were just fetched
    bool goes_on = false;   ///< no fetch follows the leg: the next leg continues with the worker's own weights
    bool first = false;     ///< the first leg since the last push
  };

  explicit Clocks(const Rules& rules) : rules_(rules) {}

  /// Records that a worker starts or restarts. Its next operation is a fetch. A known worker keeps its clock. If the
  /// worker had left, its clock is set at least to the slowest other worker's clock. Therefore the others do not wait
  /// for it to catch up.
  /// @param clock the clock of a worker that is not known yet
  void enter(int worker, std::int64_t clock);
  /// Records that a worker was lost, so that others do not wait for it.
  void leave(int worker);
  /// Sets the worker's clock to `clock`, its value at the last push, and lets the worker restart from there.
  void set_back(int worker, std::int64_t clock);
  /// Keeps the clocks of these workers, which take part from now on. Forgets all other workers.
  void keep(const std::vector<int>& workers);
  /// Returns whether the worker may continue. Returns false if its clock is too far ahead of the slowest worker; see
  /// `Rules::staleness`.
  bool may_go(int worker) const;
  /// Records that weights were sent to the worker.
  void fetch(int worker);
  /// Returns the gradients that the worker computes next: up to its next push or fetch.
  Leg next_leg(int worker) const;
  /// Records that the worker has computed this leg. Next, the worker pushes if `push_due`, and fetches if `fetch_due`.
  void advance(int worker, const Leg& leg);
  bool push_due(int worker) const;
  bool fetch_due(int worker) const;
  /// Returns whether the worker has gradients that are not pushed.
  bool has_unpushed(int worker) const;
  /// Records that the worker's gradients were applied, or are not used.
  void push(int worker);

  std::int64_t clock(int worker) const { return all_.at(worker).clock; }

 private:
  struct Clock {
    std::int64_t clock = 0;
    std::int64_t begun = 0;   ///< the clock when the worker started
    std::int64_t pushed = 0;  ///< the clock at the worker's last push
    bool served = false;      ///< the worker has fetched and not computed since
    bool away = false;
  };

  std::int64_t slowest_but(int worker) const;

  Rules rules_;
  std::map<int, Clock> all_;
};

}  // namespace troupe
