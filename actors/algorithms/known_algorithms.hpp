#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "troupe/algorithms.hpp"

// The library's registry of algorithms: their names, checks of their options, and their runners.
namespace troupe {

/// Properties that the algorithm requires of replicas.
struct BuiltFor {
  bool all_shards = false;  ///< each replica may have to compute any shard of its node
  bool frozen = false;
  bool hears = false;  ///< a replica must be able to receive a request to abandon its work

  bool operator==(const BuiltFor&) const = default;
};

struct AlgorithmTraits {
  BuiltFor built_for = {};
  bool in_step = false;         ///< it makes synchronous steps
  bool has_servers = false;     ///< it needs parameter servers
  int servers = 0;              ///< see Downpour::servers
  bool passes = false;          ///< each step is a pass over all samples
  std::int64_t warm_start = 0;  ///< its first steps, which are synchronous
};
AlgorithmTraits traits_of(const Algorithm& algorithm);

/// @throws Error invalid_argument for invalid options, or unsupported for options of the run that it cannot be combined
/// with
void check_algorithm(const Options& options);

/// @throws Error bad_file if a record cannot be written or a replay cannot be read
std::unique_ptr<AlgorithmRunner> make_runner(const Options& options);

/// Makes the algorithm's file names absolute, so that they do not depend on the working directory.
void make_paths_absolute(Algorithm& algorithm);

/// The names of all algorithms.
std::vector<std::string> algorithm_names();

/// Returns the algorithm with this name and default options. @throws Error invalid_argument, with the known names
Algorithm algorithm_by_name(const std::string& name);

}  // namespace troupe
