#include "models/data/kept_index.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/hash.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::size_t kChecksumDigits = 16;

std::string index_beside(const std::string& data) { return data + std::string(kIndexEnding); }

std::string hex_checksum(std::string_view text) { return hex(checksum(std::as_bytes(std::span(text)))); }

/// Returns the first `bytes` bytes of a file, or the whole file if it is shorter.
std::string beginning(const InputFile& file, std::uint64_t bytes) {
  std::string text(std::min(file.size(), bytes), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

bool may_write(const std::string& path, std::string_view kind) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return true;
  const InputFile file(path);
  return kind.starts_with(beginning(file, kind.size()));  // also true for an index that is so truncated that only a
                                                          // part of `kind` is left
}

}  // namespace

std::string with_checksum(std::string text) {
  text += hex_checksum(text);
  return text;
}

std::optional<std::string_view> without_checksum(std::string_view text) {
  if (text.size() < kChecksumDigits) return std::nullopt;
  const std::string_view said = text.substr(0, text.size() - kChecksumDigits);
  if (hex_checksum(said) != text.substr(said.size())) return std::nullopt;
  return said;
}

std::optional<std::string> read_kept_index(const std::string& data, std::string_view start, std::uint64_t most) try {
  const InputFile file(index_beside(data));
  if (file.size() > most || beginning(file, start.size()) != start) return std::nullopt;
  std::string text = beginning(file, file.size());
  const auto said = without_checksum(text);
  if (!said) return std::nullopt;
  text.resize(said->size());
  return text;
} catch (const Error&) {
  return std::nullopt;
}

void keep_index(const std::string& data, std::string_view kind, std::string text) try {
  const std::string path = index_beside(data);
  if (!may_write(path, kind)) return;
  OutputFile file(path);
  const std::string kept = with_checksum(std::move(text));
  file.write(std::as_bytes(std::span(kept)));
  file.commit();
} catch (const Error&) {  // not an error: without an index, the next run reads the whole data file again
}

}  // namespace troupe
