#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// The clocks of workers, each of which counts the gradients that it has computed of each of its shards: when a worker
/// fetches, when it pushes, and whom it has to wait for. Plain book-keeping.
class Clocks {
 public:
  struct Rules {
    int fetch_every = 1;
    int push_every = 1;
    std::optional<int> staleness;  ///< how far a worker may be ahead of the slowest; none: as far as it likes
  };
  /// What a worker computes in one go.
  struct Leg {
    std::int64_t step = 0;  ///< its clock at the beginning
    int gradients = 0;      ///< of each of its shards
    bool served = false;    ///< on weights that it has just fetched
    bool goes_on = false;   ///< and the next leg goes on with its own
    bool first = false;     ///< since it pushed last
  };

  explicit Clocks(const Rules& rules) : rules_(rules) {}

  /// A worker begins, or begins anew, by fetching. One that was there before keeps its clock; one that was away is not
  /// behind the slowest of the others.
  /// @param clock of one that was not there
  void enter(int worker, std::int64_t clock);
  /// It has been lost, and nobody waits for it.
  void leave(int worker);
  /// Its clock is set back to what it was when it pushed last, as if it had ended then.
  void set_back(int worker, std::int64_t clock);
  /// Those that take part from now on; the others are forgotten.
  void keep(const std::vector<int>& workers);
  /// Its clock may be what it is, once it has pushed: false where it is further ahead of who is slowest than may be.
  bool may_go(int worker) const;
  /// Weights are on their way to it.
  void fetch(int worker);
  Leg next_leg(int worker) const;
  /// It has computed that. What comes now is `push_due`, `fetch_due`, or both.
  void advance(int worker, const Leg& leg);
  bool push_due(int worker) const;
  bool fetch_due(int worker) const;
  /// Whether it has computed what is not pushed.
  bool has_unpushed(int worker) const;
  /// What it had to push has been applied, or dropped.
  void push(int worker);

  std::int64_t clock(int worker) const { return all_.at(worker).clock; }

 private:
  struct Clock {
    std::int64_t clock = 0;
    std::int64_t begun = 0;   ///< its clock when it entered
    std::int64_t pushed = 0;  ///< its clock when it pushed last
    bool served = false;      ///< it has fetched, and not computed since
    bool away = false;
  };

  std::int64_t slowest_but(int worker) const;

  Rules rules_;
  std::map<int, Clock> all_;
};

}  // namespace troupe
