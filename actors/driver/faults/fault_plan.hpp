#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe {

/// The faults of a run, each with its turn. Plain book-keeping.
class FaultPlan {
 public:
  /// One that has been drawn, where it was to be.
  struct Fault {
    enum class Kind : unsigned char { kill, stop, slow, cut, full_disk };
    Kind kind = Kind::kill;
    int worker = 0;
    int node = 0;    ///< that is cut off
    int factor = 1;  ///< by which a worker is slower
    std::int64_t step = 1;
    std::int64_t until = 0;         ///< step at which a slow worker has its own speed again; 0: none
    std::string phase = "compute";  ///< of the step, as errors name it
  };

  FaultPlan() = default;
  /// @throws Error invalid_argument for a worker, node, step, phase or factor that there cannot be
  FaultPlan(const std::vector<testing::Fault>& faults, int num_workers, int num_nodes = 0);

  bool empty() const { return faults_.empty(); }
  /// Those that have not happened.
  std::size_t left() const { return faults_.size(); }
  /// Whether some are for workers.
  bool hurts_workers() const;
  /// Those of this phase of this step that have not happened yet; from now on they have.
  std::vector<Fault> due(const std::string& phase, std::int64_t step) { return due(phase, step, step); }
  /// The same of all these steps, and of those before them since the phase was asked for last: workers on clocks of
  /// their own may begin nothing in a step.
  std::vector<Fault> due(const std::string& phase, std::int64_t first_step, std::int64_t last_step);
  /// Whether the checkpoint of this step finds no space on the disk, as one is to of this step or an earlier one; from
  /// now on it has.
  bool full_disk(std::int64_t step);

 private:
  std::vector<Fault> faults_;
  std::map<std::string, std::int64_t> asked_until_;  ///< steps, by phase
};

}  // namespace troupe
