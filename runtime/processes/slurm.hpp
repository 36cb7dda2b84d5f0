#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// One of the tasks that one `srun` started; task 0 leads.
struct SlurmTask {
  int rank = 0;
  int tasks = 1;
  std::string leader;      ///< host of task 0
  std::uint16_t port = 0;  ///< port of task 0: 20000 to 29999, derived from the job id so that jobs rarely collide

  bool operator==(const SlurmTask&) const = default;
};

/// Returns the environment variables whose names begin with SLURM_.
std::map<std::string, std::string> slurm_environment();

/// Returns the task of this environment; none outside `srun`, such as in the shell of `sbatch` or `salloc`.
/// @throws Error invalid_argument for a task whose variables are missing, malformed or contradict each other.
std::optional<SlurmTask> find_slurm_task(const std::map<std::string, std::string>& environment);

/// Returns the first host of a Slurm host list: "node07" of "node[07-12,20],other".
/// @throws Error invalid_argument if the text is not such a list.
std::string first_slurm_host(std::string_view list);

}  // namespace troupe
