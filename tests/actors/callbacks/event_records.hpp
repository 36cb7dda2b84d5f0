#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace troupe_test {

/// An event as stored in a file for TensorBoard.
struct RecordedEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version = {};
  std::map<std::string, float> scalars = {};
};

/// Returns the events of all files of a folder, in the order of the files' names. Checks lengths and CRCs (bit by bit).
std::vector<RecordedEvent> events_in(const std::string& folder);

}  // namespace troupe_test
