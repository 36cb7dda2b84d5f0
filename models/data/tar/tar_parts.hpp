#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/last_used.hpp"
#include "models/data/tar/tar_index.hpp"

namespace troupe {

/// Begins the name of a part that a command writes.
inline constexpr const char* kPipe = "pipe:";
/// A command is run only where this variable of the environment is 1: names of data come from a run's driver, too.
inline constexpr const char* kAllowPipe = "TROUPE_ALLOW_PIPE";

/// An archive, as it was when it was first read.
struct TarPart {
  std::string name;  ///< of its file, or a command behind kPipe
  std::uint64_t file_bytes = 0;
  std::int64_t modified = 0;
  std::uint64_t content = 0;  ///< bytes, decompressed
  bool is_held = false;       ///< in memory as a whole, since it is compressed or comes from a command
};

/// Contents of parts that are held in memory, those used last.
class TarParts {
 public:
  /// @param most bytes of them; more only while they are in use
  explicit TarParts(std::uint64_t most) : held_(most) {}

  /// Finds what is in an archive.
  /// @throws Error bad_file, limit_reached for one that cannot be used, invalid_argument for a command that may not run
  TarPart open(const std::string& name, std::vector<TarSample>& samples);
  /// What to read its members from. Several threads may call it at once; a part that is not there is loaded by one.
  /// @throws Error bad_file also for one that has changed since
  std::shared_ptr<const ArchiveBytes> get(const TarPart& part);

 private:
  LastUsed<std::string, ArchiveBytes> held_;
};

}  // namespace troupe
