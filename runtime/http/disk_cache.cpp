#include "runtime/http/disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/files/written_file.hpp"
#include "runtime/hash.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::string_view kEnding = ".part";
constexpr std::string_view kUnfinished = ".tmp";
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);

/// The age from which on an unfinished entry is that of a process that was killed.
constexpr std::chrono::minutes kAbandoned{10};
constexpr std::chrono::seconds kLongestWait{10};

[[noreturn]] void refuse(const std::string& value, const char* why) {
  throw_invalid(std::string(kDataCache) + "=" + printable(value, 200) + " " + why);
}

/// Parses a number of bytes such as 500M or 2T.
std::optional<std::uint64_t> bytes_from(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !(number > 0)) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  double factor = 1;
  if (!unit.empty() && kUnits.find(unit.front()) != std::string_view::npos) {
    for (std::size_t i = 0; i <= kUnits.find(unit.front()); ++i) factor *= 1000;
    unit.remove_prefix(1);
  }
  if (unit.starts_with('B')) unit.remove_prefix(1);
  if (!unit.empty() || number * factor > 1e18 || number * factor < 1) return std::nullopt;
  return static_cast<std::uint64_t>(number * factor);
}

/// An entry, or an unfinished one.
struct Entry {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type used = {};
};

/// Returns the entries of a folder, and removes unfinished ones that were abandoned.
std::vector<Entry> entries_of(const std::filesystem::path& folder) {
  std::vector<Entry> entries;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed)) {
    std::error_code gone;
    Entry entry{each->path(), each->file_size(gone), each->last_write_time(gone)};
    if (gone) continue;
    const std::string name = entry.path.filename().string();
    if (name.ends_with(kEnding))
      entries.push_back(std::move(entry));
    else if (name.ends_with(kUnfinished) && entry.used + kAbandoned < std::filesystem::file_time_type::clock::now())
      std::filesystem::remove(entry.path, gone);
  }
  return entries;
}

}  // namespace

std::shared_ptr<DiskCache> DiskCache::of_environment() {
  const char* const text = std::getenv(kDataCache);
  if (text == nullptr || *text == '\0') return nullptr;
  const std::string value(text);
  const std::size_t comma = value.rfind(',');
  const auto most = comma == std::string::npos ? std::nullopt : bytes_from(std::string_view(value).substr(comma + 1));
  if (!most || comma == 0) refuse(value, "must be a folder and a size, such as /var/cache/data,200G");
  return std::make_shared<DiskCache>(value.substr(0, comma), *most);
}

DiskCache::DiskCache(std::string folder, std::uint64_t most) : folder_(std::move(folder)), most_(most) {
  std::error_code failed;
  if (!folder_.parent_path().empty()) std::filesystem::create_directories(folder_.parent_path(), failed);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) throw_cannot("make the folder", folder_.string());
  struct stat status {};
  if (::stat(folder_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw_bad_file(folder_.string(), "the cache of data is not a folder");
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    refuse(folder_.string(), "is refused: other users may write to this folder, so its data cannot be trusted");
}

std::string DiskCache::path_of(const std::string& key) const {
  return (folder_ / (sha256_hex(std::as_bytes(std::span(key))).substr(0, 32) + std::string(kEnding))).string();
}

bool DiskCache::expect(const std::string& key) const {
  const FileDescriptor file(::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC));
  return file && ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_WILLNEED) == 0;
}

std::optional<std::vector<std::byte>> DiskCache::read(const std::string& key, std::size_t size) const try {
  const std::string path = path_of(key);
  if (::access(path.c_str(), R_OK) != 0) return std::nullopt;
  std::error_code ignored;
  const InputFile file(path);
  std::vector<std::byte> bytes(size);
  std::uint64_t said = 0;
  bool good = file.size() == size + kChecksumBytes;
  if (good) {
    file.read(0, bytes);
    file.read(size, std::as_writable_bytes(std::span(&said, 1)));
    good = said == checksum(bytes);
  }
  if (!good) {
    std::filesystem::remove(path, ignored);
    return std::nullopt;
  }
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
  return bytes;
} catch (const Error&) {
  return std::nullopt;
}

void DiskCache::keep(const std::string& key, std::span<const std::byte> bytes) const try {
  const std::uint64_t whole = bytes.size() + kChecksumBytes;
  if (whole > most_) return;
  const FileDescriptor lock = open_lock_file((folder_ / ".lock").string());
  if (!lock_in_time(lock.get(), kLongestWait)) return;
  const UnlockAtEnd unlock(lock.get());
  make_room(whole);
  const std::string path = path_of(key);
  const std::string unfinished = path + "-" + std::to_string(::getpid()) + std::string(kUnfinished);
  WrittenFile file(FileDescriptor(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)),
                   unfinished);
  try {
    const std::uint64_t sum = checksum(bytes);
    file.write(bytes);
    file.write(std::as_bytes(std::span(&sum, 1)));
    file.close();
    if (std::rename(unfinished.c_str(), path.c_str()) != 0) throw_cannot("write", path);
  } catch (const Error&) {
    ::unlink(unfinished.c_str());
  }
} catch (const Error&) {  // the data is read from the server again
}

/// Removes the entries that were used least recently, until there is room for `bytes` more bytes.
void DiskCache::make_room(std::uint64_t bytes) const {
  std::vector<Entry> entries = entries_of(folder_);
  std::uint64_t all = bytes;
  for (const Entry& entry : entries) all += entry.bytes;
  if (all <= most_) return;
  std::ranges::sort(entries, {}, &Entry::used);
  for (const Entry& entry : entries) {
    std::error_code failed;
    if (all <= most_) return;
    if (std::filesystem::remove(entry.path, failed)) all -= entry.bytes;
  }
}

}  // namespace troupe
