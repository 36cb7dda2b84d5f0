#include "runtime/http/content_range.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace troupe {
namespace {

/// Takes a number and the letter after it, if it is not 0, from the beginning of the text.
bool take_number(std::string_view& text, char after, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} ||
      (after != 0 ? text.substr(length, 1) != std::string_view(&after, 1) : length != text.size()))
    return false;
  text.remove_prefix(std::min(text.size(), length + 1));
  return true;
}

}  // namespace

std::optional<ContentRange> content_range_from(std::string_view header) {
  constexpr std::string_view kUnit = "bytes ";
  ContentRange range;
  if (!header.starts_with(kUnit)) return std::nullopt;
  header.remove_prefix(kUnit.size());
  if (!take_number(header, '-', range.first) || !take_number(header, '/', range.last) ||
      !take_number(header, 0, range.total))
    return std::nullopt;
  return range;
}

}  // namespace troupe
