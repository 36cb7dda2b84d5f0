#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/last_used.hpp"
#include "models/data/tar/tar_index.hpp"

namespace troupe {

/// The prefix of an archive name that is followed by a shell command. The command writes the archive to its standard
/// output.
inline constexpr const char* kPipe = "pipe:";
/// The name of an environment variable. Commands run only if its value is 1. The reason is that the driver of a run
/// chooses data names: without this check, it could run any command on the machines of its workers.
inline constexpr const char* kAllowPipe = "TROUPE_ALLOW_PIPE";

/// An archive, and its state when it was first read. It is one part of the data (DataInfo::parts) if it is held in
/// memory.
struct TarPart {
  std::string name;  ///< name of its file, or kPipe and a command
  std::uint64_t file_bytes = 0;
  std::int64_t modified = 0;
  std::uint64_t content = 0;  ///< size of the decompressed content in bytes
  bool is_held = false;       ///< the whole content is in memory, because it is compressed or comes from a command
};

/// A cache of the contents of archives that cannot be read in pieces: compressed archives and the output of commands.
class TarParts {
 public:
  /// @param most the maximum total size in bytes; see LastUsed
  explicit TarParts(std::uint64_t most) : held_(most) {}

  /// Opens an archive and finds its samples.
  /// @param name the name of a file, or kPipe and a command
  /// @param samples receives the samples in order
  /// @throws Error bad_file, limit_reached for an archive that cannot be used, invalid_argument for a command that may
  /// not run
  TarPart open(const std::string& name, std::vector<TarSample>& samples);
  /// Returns the content of an archive, from which `read_member` can read. Thread-safe. If several threads request an
  /// archive that must be loaded into memory, one thread loads it and the others wait.
  /// @throws Error as `open`; also bad_file if the archive has changed since `open`
  std::shared_ptr<const ArchiveBytes> get(const TarPart& part);

 private:
  LastUsed<std::string, ArchiveBytes> held_;
};

}  // namespace troupe
