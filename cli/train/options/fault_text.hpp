#pragma once

#include <string>
#include <vector>

#include "troupe/testing.hpp"

namespace troupe::cli {

/// Parses the value of `--fault`: faults to inject, separated by semicolons. Each has one of these forms:
std::vector<testing::Fault> faults_of(const std::string& text);

}  // namespace troupe::cli
