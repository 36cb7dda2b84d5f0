#pragma once

#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Data that was asked for by name.
struct NamedData {
  MakeData make;
  bool drawn;             ///< see DataUsage
  std::string arguments;  ///< behind the colon
};

/// @param full_name such as "mock-images:8,5". @throws Error invalid_argument that lists what there is, or says what
/// the name takes.
NamedData find_data(const std::string& full_name);

}  // namespace troupe
