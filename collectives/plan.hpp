#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace troupe {

/// A range of the flat vectors, in floats.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
  bool operator==(const Range&) const = default;
};

/// Who adds and who applies what, a pure function of strategy, size and number of workers.
struct Plan {
  bool driver_reduces = false;  ///< the driver adds all gradients; else each worker adds its slice's
  std::vector<Range> slices;    ///< what worker w applies; cut at pages, so small models leave some empty
};

/// Cuts [0, size) into `parts` ranges of whole pages (but for the end), as even as pages allow, in order.
std::vector<Range> page_slices(std::size_t size, std::size_t parts);

/// The part of `slice` that the device's thread works on, of `devices`; cut at pages as well.
Range device_part(const Range& slice, std::size_t device, std::size_t devices);

/// @param strategy "sharded" or "driver". @throws Error invalid_argument for another.
Plan make_plan(const std::string& strategy, std::size_t size, std::size_t num_workers);

/// The shards of replica `replica` of `num_replicas`: contiguous and as even as they go.
std::vector<int> shards_of(int replica, int num_replicas, int num_shards);

}  // namespace troupe
