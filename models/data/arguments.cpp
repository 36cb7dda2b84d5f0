#include "models/data/arguments.hpp"

#include <algorithm>
#include <charconv>

#include "runtime/invalid.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {
namespace {

[[noreturn]] void refuse_without_value(const std::string& name, const std::string& key) {
  throw_invalid(name + ": " + key + "= has no value");
}

[[noreturn]] void refuse_arguments(const std::string& name, const std::string& text, const char* usage) {
  throw_invalid(name + ":" + text + " does not have the form " + name + usage);
}

[[noreturn]] void refuse_option(const std::string& name, const std::string& key, const char* usage,
                                const DataOptions& options) {
  std::vector<std::string> known;
  known.reserve(options.size());
  for (const auto& [option, apply] : options) known.push_back(option);
  throw_invalid(name + ": unknown option '" + key + "'" + did_you_mean(key, known) + "; usage: " + name + usage);
}

}  // namespace

std::vector<std::string> split_text(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(end + 1, text.size()))) {
    end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
  }
  return parts;
}

std::int64_t data_length(const std::string& option, const std::string& text) {
  constexpr std::int64_t kMost = 65536;
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc{} || end != text.data() + text.size() || length < 1 || length > kMost)
    throw_invalid(option + "=" + text + " is not an integer from 1 to " + std::to_string(kMost));
  return length;
}

std::vector<std::string> parse_data_arguments(const std::string& name, const std::string& text, const char* usage,
                                              const DataOptions& options) {
  std::vector<std::string> files;
  for (const std::string& part : split_text(text, ',')) {
    const std::size_t equal = part.find('=');
    const std::string key = part.substr(0, equal);
    if (equal != std::string::npos && options.contains(key)) {
      if (equal + 1 == part.size()) refuse_without_value(name, key);
      options.at(key)(part.substr(equal + 1));
    } else if (part.empty()) {
      refuse_arguments(name, text, usage);
    } else if (equal != std::string::npos && part.find('/') == std::string::npos &&
               key.find_first_of(": ") == std::string::npos) {  // a part with a slash, or with a colon or blank before
                                                                // its '=', is a file or a command rather than an
                                                                // unknown option
      refuse_option(name, key, usage, options);
    } else {
      files.push_back(part);
    }
  }
  return files;
}

bool zero_for_unseen(const std::string& kind, const std::string& text) {
  if (text != "error" && text != "zero") throw_invalid(kind + ": unseen=" + text + " must be error or zero");
  return text == "zero";
}

}  // namespace troupe
