#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::cli {

/// "500", or with a unit behind it "60s".
struct CountOrUnit {
  std::int64_t number = 0;  ///< from 1 to a billion
  bool has_unit = false;
};

/// None where the text is neither.
std::optional<CountOrUnit> parse_count_or_unit(const std::string& text, char unit);

}  // namespace troupe::cli
