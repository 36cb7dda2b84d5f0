#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace troupe::cli {

/// The value of an option that is a number without a unit, such as "500", or with a unit, such as "60s".
struct CountOrUnit {
  std::int64_t number = 0;  ///< from 1 to a billion
  bool has_unit = false;
};

/// Parses a number, which may be followed by the letter `unit`. Returns none if the text does not have this form.
std::optional<CountOrUnit> parse_count_or_unit(const std::string& text, char unit);

}  // namespace troupe::cli
