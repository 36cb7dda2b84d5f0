#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/algorithms/algorithm_runner.hpp"
#include "troupe/algorithms.hpp"

// The registry of all training algorithms: their names, the checks of their options, and their runners.
namespace troupe {

/// The properties that an algorithm requires of replicas. If they change, replicas must be built again.
struct BuiltFor {
  bool all_shards = false;  ///< each replica must be able to compute any shard of its node
  /// During training, layers whose results depend on the batch compute as they do in evaluations; see Lbfgs::freeze.
  bool frozen = false;
  bool hears = false;  ///< each replica must be able to receive a request to abandon its work

  bool operator==(const BuiltFor&) const = default;
};

struct AlgorithmTraits {
  BuiltFor built_for = {};
  bool in_step = false;      ///< the algorithm makes synchronous steps
  bool has_servers = false;  ///< the algorithm needs parameter servers
  int servers = 0;           ///< see Downpour::servers
  bool passes = false;       ///< each step uses all samples of the data, not one batch per shard
  /// The number of synchronous steps that a run makes before it uses the algorithm.
  std::int64_t warm_start = 0;
};
/// Returns the traits of `algorithm` with its options.
AlgorithmTraits traits_of(const Algorithm& algorithm);

/// Checks the options of `options.algorithm`, and whether the algorithm can be combined with the other options of the
/// run.
/// @throws Error invalid_argument if an option of the algorithm is invalid; unsupported if the algorithm cannot be
/// combined with another option of the run
void check_algorithm(const Options& options);

/// Returns a new runner for `options.algorithm`.
/// @throws Error bad_file if the algorithm's `record` file cannot be written, or its `replay` file cannot be read
std::unique_ptr<AlgorithmRunner> make_runner(const Options& options);

/// Makes the file names in the algorithm's options absolute, so that they do not depend on the working directory.
void make_paths_absolute(Algorithm& algorithm);

/// Returns the names of all algorithms.
std::vector<std::string> algorithm_names();

/// Returns the algorithm with the name `name`, with default options.
/// @throws Error invalid_argument for an unknown name; the message lists the known names
Algorithm algorithm_by_name(const std::string& name);

}  // namespace troupe
