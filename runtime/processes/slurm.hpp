#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// One of the tasks that `srun` started together; task 0 leads.
struct SlurmTask {
  int rank = 0;
  int tasks = 1;
  std::string leader;      ///< host of task 0
  std::uint16_t port = 0;  ///< where task 0 listens: 20000 to 29999, from the job's id, so that jobs rarely meet

  bool operator==(const SlurmTask&) const = default;
};

/// The environment's variables whose names begin with SLURM_.
std::map<std::string, std::string> slurm_environment();

/// The task that this environment belongs to; none outside `srun`, such as in the shell of `sbatch` or `salloc`.
/// @throws Error invalid_argument for a task whose variables are missing, malformed or contradict each other.
std::optional<SlurmTask> find_slurm_task(const std::map<std::string, std::string>& environment);

/// The first host of a list as Slurm writes it: "node07" of "node[07-12,20],other".
/// @throws Error invalid_argument for what is no such list.
std::string first_slurm_host(std::string_view list);

}  // namespace troupe
