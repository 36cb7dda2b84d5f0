#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/last_used.hpp"
#include "models/data/tar/tar_index.hpp"

namespace troupe {

/// The prefix of an archive name that is not a file name, but a shell command: "pipe:COMMAND". The command writes the
/// archive to its standard output.
inline constexpr const char* kPipe = "pipe:";
/// The name of the environment variable that allows archive names with commands (kPipe). Commands run only if its value
/// is 1. Without this check, the driver of a run could run any command on the machines of its workers, because the
/// driver chooses the names of data.
inline constexpr const char* kAllowPipe = "TROUPE_ALLOW_PIPE";

/// An archive, and the properties of its file when the archive was first read. If any archive of a set must be held in
/// memory, each archive of the set is one part of the data (DataInfo::parts).
struct TarPart {
  std::string name;  ///< the name of the file, or kPipe and a command
  std::uint64_t file_bytes = 0;
  std::int64_t modified = 0;
  std::uint64_t content = 0;  ///< size of the decompressed content in bytes
  bool is_held = false;       ///< whether reading a sample needs the whole content in memory, because the archive is
                              ///< compressed or comes from a command
};

/// Opens archives and gives access to their contents. Caches the contents of archives that can be read only as a whole:
/// compressed archives, and the output of commands.
class TarParts {
 public:
  /// @param most the maximum size of all contents in the cache together, in bytes; see LastUsed
  explicit TarParts(std::uint64_t most) : held_(most) {}

  /// Opens an archive, finds its samples, and returns the description of the archive.
  /// @param name the name of a file, or kPipe and a command
  /// @param samples receives the samples in the order of the archive
  /// @throws Error bad_file or limit_reached if the archive cannot be used, invalid_argument if the command may not run
  /// (see kAllowPipe)
  TarPart open(const std::string& name, std::vector<TarSample>& samples);
  /// Returns the content of an archive that `open` has opened; `read_member` can read members from it. Thread-safe. If
  /// several threads request the same archive, and it must be loaded into memory, one thread loads it and the others
  /// wait.
  /// @throws Error as `open`; also bad_file if the archive has changed since it was opened
  std::shared_ptr<const ArchiveBytes> get(const TarPart& part);

 private:
  LastUsed<std::string, ArchiveBytes> held_;
};

}  // namespace troupe
