#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/clock.hpp"

namespace troupe {

/// The copies of the state that a run in a cluster has made so far in the memory of its nodes.
struct CopyTotals {
  std::int64_t step = -1;       ///< the step of the newest copy; -1 if there is none
  Clock::time_point completed;  ///< when the newest copy was completed
  std::int64_t bytes_sent = 0;  ///< what all nodes together have sent for all copies
  double seconds = 0;           ///< the time that the driver spent on all copies
};

/// A change of the nodes of a run in a cluster. The names are those in the nodes' certificates.
struct NodesChange {
  std::int64_t step = -1;  ///< the number of committed steps; -1 if the run has no steps
  Clock::time_point at;
  std::vector<std::string> joined;
  std::vector<std::string> left;  ///< nodes that were lost, or have left the run

  bool empty() const { return joined.empty() && left.empty(); }
};

}  // namespace troupe
