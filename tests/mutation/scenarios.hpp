#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "actors/placements/runtime.hpp"

namespace troupe_test {

/// In what a scenario runs.
struct Circumstances {
  troupe::MakeRuntime make_runtime;
  troupe::ClusterOptions cluster;
  std::chrono::milliseconds timeout;  ///< of each call
  std::string folder;                 ///< empty, and the run's own
  std::function<void()> start_nodes;  ///< is called before each driver; null: nobody is
  bool another = false;               ///< another run: of another size, seed and number of shards
};

/// A short run.
struct Scenario {
  const char* name;
  int nodes;
  /// Returns all that the run comes to, as bytes that are the same each time. @throws troupe::Error
  std::string (*run)(const Circumstances& circumstances);
};

const std::vector<Scenario>& scenarios();

/// Registers the functions of the scenarios. Call it before `troupe::init`.
void register_scenarios();

/// The files of a folder and of those in it: by path, what is in them.
using Files = std::map<std::string, std::string>;
Files files_in(const std::string& folder);

}  // namespace troupe_test
