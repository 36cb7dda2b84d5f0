#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "troupe/algorithms.hpp"

// The library's registry of algorithms: their names, checks of their options, and their runners.
namespace troupe {

/// The properties that an algorithm requires of replicas.
struct BuiltFor {
  bool all_shards = false;  ///< each replica must be able to compute any shard of its node
  /// Layers whose results depend on the batch compute as in evaluations; see Lbfgs::freeze.
  bool frozen = false;
  bool hears = false;  ///< each replica must be able to receive a request to abandon its work

  bool operator==(const BuiltFor&) const = default;
};

struct AlgorithmTraits {
  BuiltFor built_for = {};
  bool in_step = false;         ///< it makes synchronous steps
  bool has_servers = false;     ///< it needs parameter servers
  int servers = 0;              ///< see Downpour::servers
  bool passes = false;          ///< each step uses all samples
  std::int64_t warm_start = 0;  ///< the number of its first steps, which are synchronous
};
AlgorithmTraits traits_of(const Algorithm& algorithm);

/// Checks the algorithm's options.
/// @throws Error invalid_argument for invalid options; unsupported for other options of the run with which the
/// algorithm cannot be combined
void check_algorithm(const Options& options);

/// Returns the runner of `options.algorithm`.
/// @throws Error bad_file if a record cannot be written or a replay cannot be read
std::unique_ptr<AlgorithmRunner> make_runner(const Options& options);

/// Makes the algorithm's file names absolute, so that they do not depend on the working directory.
void make_paths_absolute(Algorithm& algorithm);

/// Returns the names of all algorithms.
std::vector<std::string> algorithm_names();

/// Returns the algorithm with this name and with default options.
/// @throws Error invalid_argument for an unknown name; the message lists the known names
Algorithm algorithm_by_name(const std::string& name);

}  // namespace troupe
