#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace troupe {

/// The environment variable that names the folder of the cache and its size: DIR,SIZE, such as /var/cache/data,200G.
inline constexpr const char* kDataCache = "TROUPE_DATA_CACHE";

/// A folder with bytes of objects on servers, so that later epochs and runs read them from disk. The processes of a
/// user share the folder. If it is full, the entries that were used least recently are removed. A process that is
/// killed while it writes leaves no damaged entry: entries appear whole, and contain a checksum. Thread-safe.
class DiskCache {
 public:
  /// Returns the cache that the environment of this process names (kDataCache); null if it names none.
  /// @throws Error invalid_argument if the variable is not valid; bad_file as make_private_folder
  static std::shared_ptr<DiskCache> of_environment();

  /// @param folder is made if it does not exist
  /// @param most the maximum size of all entries together, in bytes
  /// @throws Error as `of_environment`
  DiskCache(std::string folder, std::uint64_t most);

  /// Returns whether there is an entry, and makes the system read it into memory.
  /// @param key identifies the bytes: the object, its version and the range
  bool expect(const std::string& key) const;
  /// Returns the bytes of an entry of `size` bytes. Returns nothing if there is no such entry. Removes a damaged entry.
  std::optional<std::vector<std::byte>> read(const std::string& key, std::size_t size) const;
  /// Adds an entry, and removes older ones if there is not enough room. If this fails, for example because the disk is
  /// full, there is no entry, and this is not an error.
  void keep(const std::string& key, std::span<const std::byte> bytes);

 private:
  std::string path_of(const std::string& key) const;
  bool take_room(std::uint64_t bytes);
  std::uint64_t make_room(std::uint64_t bytes) const;

  std::filesystem::path folder_;
  std::uint64_t most_;
  std::mutex mutex_;
  std::uint64_t unseen_ = 0;  ///< bytes that may be written before the entries of the folder are looked at again
  std::atomic<std::uint64_t> written_ = 0;
};

}  // namespace troupe
