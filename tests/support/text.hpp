#pragma once

#include <cstddef>
#include <string>

namespace troupe_test {

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// How often it does, overlapping or not.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace troupe_test
