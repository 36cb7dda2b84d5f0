#include "models/data/file_patterns.hpp"

#include <glob.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "models/data/kept_index.hpp"
#include "models/data/remote_blocks.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/http/s3.hpp"
#include "runtime/http/url.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr std::size_t kMostTexts = 100'000;

/// A range {FIRST..LAST} in a text.
struct NumberRange {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< position after the closing brace
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t digits = 0;  ///< number of digits to which the numbers are padded with zeros; 0: no padding
};

std::optional<std::uint64_t> digits_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<NumberRange> find_range(std::string_view text) {
  for (std::size_t begin = text.find('{'); begin != std::string_view::npos; begin = text.find('{', begin + 1)) {
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) break;
    const std::string_view inner = text.substr(begin + 1, end - begin - 1);
    const std::size_t dots = inner.find("..");
    if (dots == std::string_view::npos) continue;
    const std::string_view first = inner.substr(0, dots);
    const std::string_view last = inner.substr(dots + 2);
    const auto from = digits_of(first);
    const auto to = digits_of(last);
    if (!from || !to) continue;
    const bool padded = (first.starts_with('0') && first.size() > 1) || (last.starts_with('0') && last.size() > 1);
    return NumberRange{begin, end + 1, *from, *to, padded ? std::max(first.size(), last.size()) : 0};
  }
  return std::nullopt;
}

/// Returns the URLs that match a pattern. Only S3 lists objects.
std::vector<std::string> objects_of(const std::string& pattern) {
  const Url url = parse_url(pattern);
  if (url.scheme == "s3")
    return url.path.find_first_of("*?[") != std::string::npos ? s3_objects(url) : std::vector{pattern};
  if (url.path.find_first_of("*[") != std::string::npos)
    throw_invalid("'" + url.shown() + "' has a wildcard, but a web server does not list files: use a range {000..009}");
  return {pattern};
}

}  // namespace

std::vector<std::string> files_of(const std::string& pattern, Servers servers) {
  if (is_url(pattern)) {
    if (servers == Servers::refused)
      throw_invalid("'" + shown_name(pattern) + "' is not read: only tar:, npy: and csv: read from servers");
    std::vector<std::string> all;
    for (const std::string& url : expand_ranges(pattern)) std::ranges::move(objects_of(url), std::back_inserter(all));
    return all;
  }
  if (pattern.find_first_of("*?[") == std::string::npos) return {pattern};
  glob_t found{};
  const int failed = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + (failed == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (!pattern.ends_with(kIndexEnding))
    std::erase_if(files, [](const std::string& file) { return file.ends_with(kIndexEnding); });
  if (files.empty()) throw_bad_file(pattern, "no file matches this pattern");
  return files;
}

std::vector<std::string> expand_ranges(const std::string& text) {
  const auto range = find_range(text);
  if (!range) return {text};
  const std::string written = text.substr(range->begin, range->end - range->begin);
  if (range->first > range->last) throw_invalid("the range " + written + " is descending");
  const std::vector<std::string> rests = expand_ranges(text.substr(range->end));
  if (range->last - range->first >= kMostTexts / rests.size())
    throw_invalid("the range " + written + " expands to more than " + std::to_string(kMostTexts) + " names");
  std::vector<std::string> all;
  for (std::uint64_t number = range->first; number <= range->last; ++number) {
    const std::string digits = std::to_string(number);
    std::string begin = text.substr(0, range->begin);
    if (digits.size() < range->digits) begin.append(range->digits - digits.size(), '0');
    begin += digits;
    for (const std::string& rest : rests) all.push_back(begin + rest);
  }
  return all;
}

std::string shown_name(const std::string& name) {
  return is_url(name) ? parse_url(name).shown() : printable(name, 500);
}

std::uint64_t bytes_of_files(const std::vector<std::string>& files) {
  std::uint64_t bytes = 0;
  for (const std::string& file : files) {
    if (is_url(file)) {
      bytes += open_data(file)->size();
      continue;
    }
    std::error_code unknown;
    const std::uint64_t size = std::filesystem::file_size(file, unknown);
    if (!unknown) bytes += size;
  }
  return bytes;
}

}  // namespace troupe
