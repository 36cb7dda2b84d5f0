#pragma once

#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe_test {

/// A short run. Its weights and losses are bitwise identical each time on the same kind of machine.
struct Case {
  std::string name;   ///< such as "optimizer/adamw"
  std::string model;  ///< registered
  troupe::Options options;
  int steps = 2;
};

/// Registers the data of `cases`. Called before troupe::init.
void register_data_of_cases();
/// Returns at least one run for each built-in model, optimizer, algorithm, strategy and precision.
std::vector<Case> cases();
/// Returns the runs that need a cluster of three nodes with one worker each.
std::vector<Case> cases_of_clusters();

/// Returns a hash of the weights and of the losses and numbers of samples that steps reported.
std::string result_of(const Case& each);
/// Returns a short hash of what else determines the bits, apart from the program: the machine's arithmetic, and the
/// kernels of the model's networks on this machine.
std::string machine_of(const Case& each);

}  // namespace troupe_test
