#pragma once

#include <cstddef>
#include <vector>

namespace troupe_test {

using Numbers = std::vector<double>;

inline double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Returns a + factor * b.
inline Numbers plus(Numbers a, double factor, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
  return a;
}

}  // namespace troupe_test
