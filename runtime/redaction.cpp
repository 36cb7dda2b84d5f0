#include "runtime/redaction.hpp"

#include <algorithm>
#include <string_view>

namespace troupe {
namespace {

constexpr std::string_view kSeparator = "://";
constexpr std::string_view kDots = "...";

bool ends_url(char letter) {
  return static_cast<unsigned char>(letter) <= ' ' || letter == '"' || letter == '\'' || letter == ',';
}

}  // namespace

std::string without_secrets(std::string text) {
  for (std::size_t begin = text.find(kSeparator); begin != std::string::npos; begin = text.find(kSeparator, begin)) {
    const bool has_query = !std::string_view(text).substr(0, begin).ends_with("s3");  // there it is part of a pattern
    begin += kSeparator.size();
    const auto end = [&] {
      return std::find_if(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), ends_url) - text.begin();
    };
    const std::string_view url(text.data() + begin, static_cast<std::size_t>(end()) - begin);
    const std::size_t host = std::min(url.find_first_of("/?#"), url.size());
    if (const std::size_t at = url.substr(0, host).rfind('@'); at != std::string_view::npos)
      text.replace(begin, at, kDots);
    const auto last = static_cast<std::size_t>(end());
    if (const std::size_t query = text.find('?', begin); has_query && query < last)
      text.replace(query + 1, last - query - 1, kDots);
  }
  return text;
}

}  // namespace troupe
