#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "actors/driver/elasticity.hpp"
#include "actors/driver/faults/failure_budget.hpp"
#include "actors/placements/placements.hpp"
#include "actors/rounds/rounds.hpp"
#include "troupe/report.hpp"

namespace troupe {

/// Decides what happens after the loss of a member: whether the failure budget allows the loss, and whether the run
/// continues without the lost worker. Also records the repairs, which the reports of steps contain.
class Losses {
 public:
  /// A function that removes the worker `blamed` from the run, and other workers that were lost after they had joined.
  using Drop = std::function<void(int blamed)>;

  /// @param most the number of losses allowed within an hour; see FailureBudget
  Losses(int most, const Rules& rules, const Elasticity& elasticity)
      : budget_(most), rules_(rules), elasticity_(elasticity) {}

  /// Records `loss`, which has interrupted a call, and waits for the pause before the retry. If the run continues
  /// without the lost worker, calls `drop`.
  /// @param members the members of the run; null if no run is formed
  /// @throws Error `loss` itself if the lost worker was just being added; or the error that the failure budget is spent
  void take(const Error& loss, const Members* members, const Drop& drop);
  /// Records the losses of workers that no call has reported (see `Rounds::untold_loss`), on one machine. Returns the
  /// number of repairs that were added.
  /// @param replaced if true, records only losses of workers that were already replaced or removed
  int note_untold(Rounds& rounds, const Members& members, bool replaced, const Drop& drop);
  /// Records that a step was committed; see FailureBudget::note_progress.
  void note_progress() { budget_.note_progress(); }

  /// Sets the workers that are being added to the run. If one of these workers is lost, it is not replaced.
  void expect(std::vector<int> newcomers) { newcomers_ = std::move(newcomers); }
  std::vector<int> take_newcomers() { return std::exchange(newcomers_, {}); }

  /// Returns the repairs that no report of a step contains yet, in order of time.
  std::vector<Repair>& repairs() { return repairs_; }
  std::vector<Repair> take_repairs() { return std::exchange(repairs_, {}); }

 private:
  FailureBudget budget_;
  const Rules& rules_;
  const Elasticity& elasticity_;
  std::vector<int> newcomers_;
  std::vector<Repair> repairs_;
};

}  // namespace troupe
