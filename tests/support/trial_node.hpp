#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/child.hpp"
#include "runtime/trial_authority.hpp"

namespace troupe_test {

/// Starts this program again as a node with a certificate of the trial authority. @param join the address at which the
/// driver listens. @param more additional arguments
inline std::unique_ptr<Child> start_trial_node(int number, const std::string& join, const std::string& logs,
                                               std::vector<std::string> more = {}) {
  const std::string name = "node" + std::to_string(number);
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").string(), "--troupe-join=" + join,
                                   "--troupe-certs=" + (trial_authority().folder() / name)};
  command.insert(command.end(), more.begin(), more.end());
  return std::make_unique<Child>(std::move(command), logs + "/" + name);
}

}  // namespace troupe_test
