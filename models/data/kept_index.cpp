#include "models/data/kept_index.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <system_error>

#include "runtime/files/file_lock.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/output_file.hpp"
#include "runtime/files/private_folder.hpp"
#include "runtime/hash.hpp"
#include "runtime/http/url.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::size_t kChecksumDigits = 16;

/// How long a process waits for another one that makes the same index.
constexpr std::chrono::minutes kLongestWait{60};

/// Returns the folder for indexes of data on servers, and makes it; empty if there is none, or if other users may write
/// to it.
std::string shared_folder() try {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache != nullptr && *cache == '/')
    folder = cache;
  else if (home != nullptr && *home == '/')
    folder = std::filesystem::path(home) / ".cache";
  else
    return "";
  folder /= "troupe";
  make_private_folder(folder.string());
  return folder.string();
} catch (const Error&) {
  return "";
}

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

IndexPlace index_place(const std::string& data) {
  if (!is_url(data)) return {data + std::string(kIndexEnding)};
  const std::string folder = shared_folder();
  const std::string name = sha256_hex(std::as_bytes(std::span(data))).substr(0, 32);
  return {folder.empty() ? "" : folder + "/" + name + std::string(kIndexEnding), true};
}

std::shared_ptr<void> IndexPlace::lock() const try {
  struct Held {
    FileDescriptor file;
    UnlockAtEnd unlock;
  };
  if (!is_shared || path.empty()) return nullptr;
  auto held = std::make_shared<Held>(Held{open_lock_file(path + ".lock"), {}});
  if (lock_in_time(held->file.get(), kLongestWait)) held->unlock = UnlockAtEnd(held->file.get());
  return held;
} catch (const Error&) {  // without a lock, several processes make the index
  return nullptr;
}

std::optional<std::string> read_kept_index(const std::string& path, std::string_view start, std::uint64_t most) try {
  const InputFile file(path);
  if (file.size() > most || beginning(file, start.size()) != start) return std::nullopt;
  std::string text = beginning(file, file.size());
  const auto said = without_checksum(text);
  if (!said) return std::nullopt;
  text.resize(said->size());
  return text;
} catch (const Error&) {
  return std::nullopt;
}

void keep_index(const std::string& path, std::string_view kind, std::string text) try {
  if (path.empty() || !may_write(path, kind)) return;
  OutputFile file(path);
  const std::string kept = with_checksum(std::move(text));
  file.write(std::as_bytes(std::span(kept)));
  file.commit();
} catch (const Error&) {  // not an error: without an index, the next run reads the whole data file again
}

}  // namespace troupe
