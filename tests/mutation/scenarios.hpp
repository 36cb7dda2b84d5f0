#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/placements/runtime.hpp"

namespace troupe_test {

/// The environment of a scenario.
struct Circumstances {
  troupe::MakeRuntime make_runtime;
  troupe::ClusterOptions cluster;
  std::chrono::milliseconds timeout;  ///< of each call
  std::string folder;                 ///< the run's own folder, initially empty
  std::function<void()> start_nodes;  ///< called before each driver starts; may be null
  bool another = false;               ///< whether to make a different run, with another size, seed and number of shards
};

/// A short run.
struct Scenario {
  const char* name;
  int nodes;
  /// Returns all results of the run as bytes, which are deterministic. @throws troupe::Error
  std::string (*run)(const Circumstances& circumstances);
};

const std::vector<Scenario>& scenarios();

/// Registers the functions of the scenarios. Call it before `troupe::init`.
void register_scenarios();

/// Contents of the files in a folder and its subfolders, by path.
using Files = std::map<std::string, std::string>;
Files files_in(const std::string& folder);

}  // namespace troupe_test
