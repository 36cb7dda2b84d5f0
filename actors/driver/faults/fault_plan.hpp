#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe {

/// Contains the faults to inject into a run, and the step and phase of each. This class injects nothing itself; see
/// FaultInjection.
class FaultPlan {
 public:
  /// A planned fault. Random choices, such as the worker and the step, are already made.
  struct Fault {
    enum class Kind : unsigned char { kill, stop, slow, cut, full_disk };
    Kind kind = Kind::kill;
    int worker = 0;
    int node = 0;    ///< the node to cut off
    int factor = 1;  ///< the factor by which the worker is slowed down
    std::int64_t step = 1;
    std::int64_t until = 0;         ///< the step at which the worker is no longer slowed down; 0: never
    std::string phase = "compute";  ///< the name of the phase in which the fault happens, as in errors
  };

  FaultPlan() = default;
  /// @param faults the faults in the options
  /// @throws Error invalid_argument if the worker, node, step, phase or factor of a fault is impossible
  FaultPlan(const std::vector<testing::Fault>& faults, int num_workers, int num_nodes = 0);

  bool empty() const { return faults_.empty(); }
  /// Returns the number of faults that have not happened yet.
  std::size_t left() const { return faults_.size(); }
  /// Returns whether the plan has faults that kill, stop or slow down workers.
  bool hurts_workers() const;
  /// Returns the faults that are due in the phase `phase` of `step`, and marks them as happened.
  std::vector<Fault> due(const std::string& phase, std::int64_t step) { return due(phase, step, step); }
  /// Returns the faults that are due in the phase `phase` of the steps from `first_step` to `last_step`, and marks them
  /// as happened. Also returns the faults of steps between the last query of this phase and `first_step`. Such faults
  /// are overdue: in an asynchronous algorithm, a step can end without any worker having begun this phase.
  std::vector<Fault> due(const std::string& phase, std::int64_t first_step, std::int64_t last_step);
  /// Returns whether a full_disk fault is due for the checkpoint of this step. If so, marks the fault as happened.
  bool full_disk(std::int64_t step);

 private:
  std::vector<Fault> faults_;
  std::map<std::string, std::int64_t> asked_until_;  ///< by phase: the last step that was queried
};

}  // namespace troupe
