#include "runtime/http/disk_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
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
#include "runtime/files/private_folder.hpp"
#include "runtime/files/written_file.hpp"
#include "runtime/hash.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr std::string_view kEnding = ".part";
constexpr std::string_view kUnfinished = ".tmp";
constexpr std::size_t kDigits = 32;  // of an entry's name
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);

/// The age from which on an unfinished entry is that of a process that was killed.
constexpr std::chrono::minutes kAbandoned{10};
constexpr std::chrono::seconds kLongestWait{2};
/// The number of processes that may write at the same time without filling more than the folder's size.
constexpr std::uint64_t kWriters = 16;
/// The share in percent of the folder's size to which it is emptied when it is full.
constexpr std::uint64_t kFilled = 95;

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

/// Returns whether a file has the name of an entry. Others are not touched, if the user has named a folder with them.
bool is_ours(std::string_view name) {
  const std::size_t digits = std::min(name.find_first_not_of("0123456789abcdef"), name.size());
  return digits == kDigits && name.substr(digits).starts_with(kEnding);
}

/// Returns the entries of a folder, and removes unfinished ones that were abandoned.
std::vector<Entry> entries_of(const std::filesystem::path& folder) {
  std::vector<Entry> entries;
  std::error_code failed;
  for (std::filesystem::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed)) {
    std::error_code gone;
    Entry entry{each->path(), each->file_size(gone), each->last_write_time(gone)};
    if (gone) continue;
    const std::string name = entry.path.filename().string();
    if (!is_ours(name)) continue;
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
  make_private_folder(folder_.string());
}

std::string DiskCache::path_of(const std::string& key) const {
  return (folder_ / (sha256_hex(std::as_bytes(std::span(key))).substr(0, kDigits) + std::string(kEnding))).string();
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

void DiskCache::keep(const std::string& key, std::span<const std::byte> bytes) try {
  const std::uint64_t whole = bytes.size() + kChecksumBytes;
  if (whole > most_) return;
  if (!take_room(whole)) return;
  const std::string path = path_of(key);
  const std::string unfinished =
      path + "-" + std::to_string(::getpid()) + "-" + std::to_string(++written_) + std::string(kUnfinished);
  WrittenFile file(FileDescriptor(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)),
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

/// Reserves room for an entry. Returns false if another process keeps the lock of the folder for too long. Looking at
/// all entries takes time. So after it has done so, the process may write a share of the free room without looking.
bool DiskCache::take_room(std::uint64_t bytes) {
  const std::lock_guard guard(mutex_);
  if (bytes > unseen_) {
    const FileDescriptor lock = open_lock_file((folder_ / ".lock").string());
    if (!lock_in_time(lock.get(), kLongestWait)) return false;
    const UnlockAtEnd unlock(lock.get());
    unseen_ = make_room(bytes) / kWriters + bytes;
  }
  unseen_ -= bytes;
  return true;
}

/// Removes the entries that were used least recently, until there is room for `bytes` more bytes and some others.
/// Returns the number of bytes of these others.
std::uint64_t DiskCache::make_room(std::uint64_t bytes) const {
  std::vector<Entry> entries = entries_of(folder_);
  std::uint64_t all = bytes;
  for (const Entry& entry : entries) all += entry.bytes;
  if (all > most_) {
    const std::uint64_t least = std::max(bytes, most_ / 100 * kFilled);
    std::ranges::sort(entries, {}, &Entry::used);
    for (const Entry& entry : entries) {
      std::error_code failed;
      if (all <= least) break;
      if (std::filesystem::remove(entry.path, failed)) all -= entry.bytes;
    }
  }
  return most_ - std::min(all, most_);
}

}  // namespace troupe
