#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe_test {

/// An event as a file for TensorBoard has it.
struct RecordedEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version = {};
  std::map<std::string, float> scalars = {};
};

/// The events of all files of a folder, by their names. Checks lengths and CRCs, one bit after the other.
std::vector<RecordedEvent> events_in(const std::string& folder);

}  // namespace troupe_test
