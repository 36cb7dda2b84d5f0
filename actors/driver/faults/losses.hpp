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

/// Decides what happens after a loss: whether the budget allows the loss, and whether the run continues without the
/// worker. Records the repairs that reports contain.
class Losses {
 public:
  /// Removes the blamed worker, and other workers that were lost after they had joined, from the run.
  using Drop = std::function<void(int blamed)>;

  /// @param most see FailureBudget
  Losses(int most, const Rules& rules, const Elasticity& elasticity)
      : budget_(most), rules_(rules), elasticity_(elasticity) {}

  /// Records a loss that a call has met, and waits for the pause before a retry.
  /// @param members null if no run is formed
  /// @throws Error the loss itself if the worker was just being added, or the error that the budget is spent
  void take(const Error& loss, const Members* members, const Drop& drop);
  /// Records losses of workers on this machine that no call has met, or that were met together with another loss.
  /// Returns how many repairs were added.
  /// @param replaced if true, only records losses of workers that have already been replaced
  int note_untold(Rounds& rounds, const Members& members, bool replaced, const Drop& drop);
  /// Records a committed step.
  void note_progress() { budget_.note_progress(); }

  /// Sets the workers that are being added. If one of them is lost, the worker is not replaced.
  void expect(std::vector<int> newcomers) { newcomers_ = std::move(newcomers); }
  std::vector<int> take_newcomers() { return std::exchange(newcomers_, {}); }

  /// Returns the repairs that no report contains yet, the oldest first.
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
