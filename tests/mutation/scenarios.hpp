#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "actors/placements/runtime.hpp"

namespace troupe_test {

/// In what a scenario runs.
struct Circumstances {
  troupe::MakeRuntime make_runtime;
  troupe::ClusterOptions cluster;     ///< two nodes
  std::chrono::milliseconds timeout;  ///< of each call
  std::string folder;                 ///< empty, and the run's own
  std::function<void()> start_nodes;  ///< is called before each driver; null: nobody is
  bool another = false;               ///< another run: of another size, seed and number of shards
};

/// A short run on two nodes.
struct Scenario {
  const char* name;
  /// Returns all that the run comes to, as bytes that are the same each time. @throws troupe::Error
  std::string (*run)(const Circumstances& circumstances);
};

const std::vector<Scenario>& scenarios();

/// Registers the functions of the scenarios. Call it before `troupe::init`.
void register_scenarios();

/// Returns the bytes of all files in a folder, by name; of the folder "run-*" too.
std::string content_of(const std::string& folder);

}  // namespace troupe_test
