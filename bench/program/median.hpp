#pragma once

#include <algorithm>
#include <vector>

namespace troupe::bench {

/// Of at least one value; of an even number of them the larger in the middle.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace troupe::bench
