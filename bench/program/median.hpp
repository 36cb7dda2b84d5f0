#pragma once

#include <algorithm>
#include <vector>

namespace troupe::bench {

/// Returns the median of at least one value. For an even number of values it is the larger of the two in the middle.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace troupe::bench
