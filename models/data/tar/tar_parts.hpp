#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/last_used.hpp"
#include "models/data/tar/tar_index.hpp"

namespace troupe {

/// The prefix of the name of a part that a command writes.
inline constexpr const char* kPipe = "pipe:";
/// Commands run only if this environment variable is 1, because names of data may come from a run's driver.
inline constexpr const char* kAllowPipe = "TROUPE_ALLOW_PIPE";

/// An archive and its state when it was first read.
struct TarPart {
  std::string name;  ///< name of its file, or a command behind kPipe
  std::uint64_t file_bytes = 0;
  std::int64_t modified = 0;
  std::uint64_t content = 0;  ///< size of the decompressed content in bytes
  bool is_held = false;       ///< the whole content is in memory, because it is compressed or comes from a command
};

/// A cache of the contents of parts that are held in memory.
class TarParts {
 public:
  /// @param most the largest total size in bytes; exceeded only by contents that are in use
  explicit TarParts(std::uint64_t most) : held_(most) {}

  /// Opens an archive and finds its samples.
  /// @throws Error bad_file, limit_reached for an archive that cannot be used, invalid_argument for a command that may
  /// not run
  TarPart open(const std::string& name, std::vector<TarSample>& samples);
  /// Returns the content of a part, for reading its members. Thread-safe; a part that is not in memory is loaded by one
  /// thread.
  /// @throws Error bad_file also if the archive has changed
  std::shared_ptr<const ArchiveBytes> get(const TarPart& part);

 private:
  LastUsed<std::string, ArchiveBytes> held_;
};

}  // namespace troupe
