#pragma once

#include <cstddef>
#include <string>

namespace troupe_test {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Returns the number of occurrences of `part` in `text`. Overlapping occurrences count, too.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace troupe_test
