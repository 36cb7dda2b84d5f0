#include "cli/train/options/count_or_unit.hpp"

#include <charconv>
#include <string_view>

namespace troupe::cli {

std::optional<CountOrUnit> parse_count_or_unit(const std::string& text, char unit) {
  constexpr std::int64_t kMost = 1'000'000'000;
  CountOrUnit found;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, found.number);
  found.has_unit = error == std::errc{} && std::string_view(end, last) == std::string_view(&unit, 1);
  if (error != std::errc{} || (!found.has_unit && end != last) || found.number < 1 || found.number > kMost) return {};
  return found;
}

}  // namespace troupe::cli
