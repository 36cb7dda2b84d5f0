#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// A task of the Slurm workload manager: one of the processes that one command `srun` has started. Task 0 is the
/// driver.
struct SlurmTask {
  int rank = 0;        ///< number of this task, from 0
  int tasks = 1;       ///< number of all tasks
  std::string leader;  ///< name of the host of task 0
  /// The port at which task 0 listens, from 20000 to 29999. It is derived from the job's id, so that two jobs on one
  /// host rarely have the same port.
  std::uint16_t port = 0;

  bool operator==(const SlurmTask&) const = default;
};

/// Returns this process's environment variables whose names begin with SLURM_.
std::map<std::string, std::string> slurm_environment();

/// Returns the Slurm task that `environment` describes. Returns none if the process was not started by `srun`, for
/// example in the shell of `sbatch` or `salloc`.
/// @param environment the variables whose names begin with SLURM_, as `slurm_environment` returns them
/// @throws Error invalid_argument if variables of a task are missing or malformed, or contradict each other
std::optional<SlurmTask> find_slurm_task(const std::map<std::string, std::string>& environment);

/// Returns the first host of a Slurm host list, such as "node07" for "node[07-12,20],other".
/// @throws Error invalid_argument if the text is not such a list
std::string first_slurm_host(std::string_view list);

}  // namespace troupe
