#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/http/disk_cache.hpp"
#include "runtime/http/remote_file.hpp"

namespace troupe {

/// A stretch of an object on a server that is being read: from the cache on disk, if it is there, or from the server.
class RemoteRange {
 public:
  /// Starts to read the bytes [begin, begin + size).
  /// @param url the whole URL of the object
  /// @param cache null: there is no cache on disk
  RemoteRange(std::shared_ptr<const RemoteFile> file, const std::string& url, std::uint64_t begin, std::size_t size,
              std::shared_ptr<DiskCache> cache, Urgency urgency);

  /// Waits for the bytes, and returns them. Must be called once.
  /// @throws Error as RemoteFile::read
  std::vector<std::byte> finish();

 private:
  void request();

  std::shared_ptr<const RemoteFile> file_;
  std::shared_ptr<DiskCache> cache_;
  std::string key_;
  std::uint64_t begin_;
  std::size_t size_;
  Urgency urgency_;
  std::vector<std::byte> bytes_;
  std::optional<RemoteRead> read_;
};

}  // namespace troupe
