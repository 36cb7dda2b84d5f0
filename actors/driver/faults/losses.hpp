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

/// What becomes of members that calls lose: how many losses a run takes upon itself, who is done without, and what
/// reports tell of it.
class Losses {
 public:
  /// Has the worker that is blamed take part no more, and others that were lost since they came.
  using Drop = std::function<void(int blamed)>;

  /// @param most as FailureBudget
  Losses(int most, const Rules& rules, const Elasticity& elasticity)
      : budget_(most), rules_(rules), elasticity_(elasticity) {}

  /// A call has met one: it is to be done again, after the pause that this takes. @param members null without a run
  /// @throws Error the loss itself, of a worker that only was to be added, or that the budget is spent
  void take(const Error& loss, const Members* members, const Drop& drop);
  /// Counts and reports losses of workers of this machine that no call has met, or that were met together with others;
  /// says how many. @param replaced only those that are replaced already
  int note_untold(Rounds& rounds, const Members& members, bool replaced, const Drop& drop);
  /// A step was committed.
  void note_progress() { budget_.note_progress(); }

  /// Workers that are being added: whoever of them dies is not replaced.
  void expect(std::vector<int> newcomers) { newcomers_ = std::move(newcomers); }
  std::vector<int> take_newcomers() { return std::exchange(newcomers_, {}); }

  /// That no report has told of yet, oldest first.
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
