#include "models/data/tar/tar_arguments.hpp"

#include <charconv>

#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/file_patterns.hpp"
#include "models/data/tar/tar_parts.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

void add_archives(std::vector<std::string>& archives, const std::string& pattern) {
  for (const std::string& name : expand_ranges(pattern)) {
    if (name == kPipe) throw_invalid("tar:" + pattern + " has no command behind " + kPipe);
    if (name.starts_with(kPipe))
      archives.push_back(name);
    else
      for (std::string& file : files_of(name)) archives.push_back(std::move(file));
  }
}

std::uint64_t bytes_of_megabytes(const std::string& text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  std::uint64_t megabytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), megabytes);
  if (error != std::errc{} || end != text.data() + text.size() || megabytes < 1 || megabytes > kMost)
    throw_invalid("tar: memory=" + text + " is not a number of megabytes");
  return megabytes << 20;
}

}  // namespace

TarArguments parse_tar_arguments(const std::string& text) {
  TarArguments asked;
  DataOptions options{{"test", [&](const std::string& value) { add_archives(asked.test, value); }},
                      {"memory", [&](const std::string& value) { asked.held_bytes = bytes_of_megabytes(value); }}};
  asked.images.add_to(options, "tar");
  for (const std::string& pattern : parse_data_arguments("tar", text, kTarUsage, options))
    add_archives(asked.train, pattern);
  if (asked.train.empty()) throw_invalid("tar:" + text + " names no archive: tar" + kTarUsage);
  return asked;
}

}  // namespace troupe
