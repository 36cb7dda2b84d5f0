#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace troupe {

/// The header Content-Range of an answer: "bytes FIRST-LAST/TOTAL".
struct ContentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;   ///< of the last byte, not after it
  std::uint64_t total = 0;  ///< number of bytes of the whole object
};

/// Parses the value of the header. Returns nothing if it has another form.
std::optional<ContentRange> content_range_from(std::string_view header);

}  // namespace troupe
