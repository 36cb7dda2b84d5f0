#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe {

/// Contains the faults of a run and their times. Injects nothing itself.
class FaultPlan {
 public:
  /// A planned fault; random choices are already made.
  struct Fault {
    enum class Kind : unsigned char { kill, stop, slow, cut, full_disk };
    Kind kind = Kind::kill;
    int worker = 0;
    int node = 0;    ///< the node to cut off
    int factor = 1;  ///< how many times slower the worker runs
    std::int64_t step = 1;
    std::int64_t until = 0;         ///< the step at which the slowness ends; 0: never
    std::string phase = "compute";  ///< the name of the phase, as in errors
  };

  FaultPlan() = default;
  /// @throws Error invalid_argument for an impossible worker, node, step, phase or factor
  FaultPlan(const std::vector<testing::Fault>& faults, int num_workers, int num_nodes = 0);

  bool empty() const { return faults_.empty(); }
  /// Returns the number of faults that have not happened.
  std::size_t left() const { return faults_.size(); }
  /// Returns whether the plan has faults of workers.
  bool hurts_workers() const;
  /// Returns the faults due in this phase of this step, and marks them as happened.
  std::vector<Fault> due(const std::string& phase, std::int64_t step) { return due(phase, step, step); }
  /// As above, for several steps. Also returns faults of earlier steps since the last query of this phase. They may
  /// have been passed over, because workers of an asynchronous algorithm may begin no work of this phase during a step.
  std::vector<Fault> due(const std::string& phase, std::int64_t first_step, std::int64_t last_step);
  /// Returns whether a full-disk fault is due at the checkpoint of this step. If so, marks the fault as happened.
  bool full_disk(std::int64_t step);

 private:
  std::vector<Fault> faults_;
  std::map<std::string, std::int64_t> asked_until_;  ///< the last step queried, by phase
};

}  // namespace troupe
