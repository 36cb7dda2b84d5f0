#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "troupe/algorithms.hpp"

// What the library knows of each algorithm: its name, what its options may be, and who runs it.
namespace troupe {

/// What replicas are like because of the algorithm.
struct BuiltFor {
  bool all_shards = false;  ///< each may have to compute any shard of its node
  bool frozen = false;
  bool hears = false;  ///< it may be told to leave what it computes

  bool operator==(const BuiltFor&) const = default;
};

struct AlgorithmTraits {
  BuiltFor built_for = {};
  bool in_step = false;         ///< it makes the synchronous step
  bool has_servers = false;     ///< it needs parameter servers
  int servers = 0;              ///< as Downpour::servers
  bool passes = false;          ///< each step is a pass over all samples
  std::int64_t warm_start = 0;  ///< its first steps that are synchronous
};
AlgorithmTraits traits_of(const Algorithm& algorithm);

/// @throws Error invalid_argument for options that cannot be, or unsupported for what does not go with it in a run
void check_algorithm(const Options& options);

/// @throws Error bad_file where it cannot record or replay
std::unique_ptr<AlgorithmRunner> make_runner(const Options& options);

/// Files that it names do not change with the working directory.
void make_paths_absolute(Algorithm& algorithm);

/// Names of all.
std::vector<std::string> algorithm_names();

/// The algorithm of that name with its usual options. @throws Error invalid_argument that lists those that there are
Algorithm algorithm_by_name(const std::string& name);

}  // namespace troupe
