#pragma once

#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe_test {

/// A short run, whose weights and losses have the same bits each time on the same kind of machine.
struct Case {
  std::string name;   ///< such as "optimizer/adamw"
  std::string model;  ///< registered
  troupe::Options options;
  int steps = 2;
};

/// One run at least for each built-in model, optimizer, algorithm, strategy and precision.
std::vector<Case> cases();
/// Those that need a cluster of three nodes, with a worker each.
std::vector<Case> cases_of_clusters();

/// Returns a hash of the weights and of what steps reported.
std::string result_of(const Case& each);
/// Returns what the bits depend on beside the program: the machine's arithmetic, and how the model's networks compute
/// on it. Short, since it is a hash.
std::string machine_of(const Case& each);

}  // namespace troupe_test
