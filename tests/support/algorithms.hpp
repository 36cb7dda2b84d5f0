#pragma once

#include <string>
#include <variant>

#include "troupe/sgd.hpp"

// Accessors for options that several asynchronous algorithms have in common.
namespace troupe_test {

inline std::string& record_of(troupe::Options& options) {
  auto* const downpour = std::get_if<troupe::Downpour>(&options.algorithm);
  return downpour != nullptr ? downpour->record : std::get<troupe::Ssp>(options.algorithm).record;
}

inline std::string& replay_of(troupe::Options& options) {
  auto* const downpour = std::get_if<troupe::Downpour>(&options.algorithm);
  return downpour != nullptr ? downpour->replay : std::get<troupe::Ssp>(options.algorithm).replay;
}

}  // namespace troupe_test
