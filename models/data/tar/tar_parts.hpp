#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "models/data/last_used.hpp"
#include "models/data/tar/tar_index.hpp"
#include "runtime/http/disk_cache.hpp"
#include "runtime/http/remote_file.hpp"

namespace troupe {

/// The prefix of an archive name that is not a file name, but a shell command: "pipe:COMMAND". The command writes the
/// archive to its standard output.
inline constexpr const char* kPipe = "pipe:";
/// The name of the environment variable that allows archive names with commands (kPipe). Commands run only if its value
/// is 1. Without this check, the driver of a run could run any command on the machines of its workers, because the
/// driver chooses the names of data.
inline constexpr const char* kAllowPipe = "TROUPE_ALLOW_PIPE";

/// An archive or a stretch of one, and the properties of its file when the archive was first read. If any part of a set
/// must be held in memory, its parts are those of the data (DataInfo::parts).
struct TarPart {
  std::string name;  ///< the name of the file, a URL, or kPipe and a command
  std::uint64_t file_bytes = 0;
  std::int64_t modified = 0;
  std::uint64_t content = 0;  ///< size of the decompressed content in bytes
  bool is_held = false;       ///< whether reading a sample needs the whole part in memory, because the archive is
                              ///< compressed, comes from a command or is on a server
  std::uint64_t begin = 0;    ///< the part consists of the bytes [begin, end) of the content
  std::uint64_t end = 0;
  std::size_t samples = 0;  ///< number of samples in the part
  std::string shown = {};   ///< the name for messages: printable, and without the query of a URL

  std::uint64_t bytes() const { return end - begin; }
};

/// Opens archives and gives access to their contents. Caches the contents of archives that can be read only as a whole:
/// compressed archives, and the output of commands. Also caches stretches of archives on servers, because a request for
/// each sample would take too long.
class TarParts {
 public:
  /// @param most the maximum size of all contents in the cache together, in bytes; see LastUsed
  /// @throws Error as DiskCache::of_environment
  explicit TarParts(std::uint64_t most) : held_(most), cache_(DiskCache::of_environment()) {}

  /// Opens an archive, finds its samples, and returns its parts: one, except for an archive on a server.
  /// @param name the name of a file, a URL, or kPipe and a command
  /// @param samples receives the samples in the order of the archive
  /// @throws Error bad_file or limit_reached if the archive cannot be used, invalid_argument if the command may not run
  /// (see kAllowPipe)
  std::vector<TarPart> open(const std::string& name, TarSampleList& samples);
  /// Returns the content of a part that `open` has returned; `read_member` can read members from it. Thread-safe. If
  /// several threads request the same archive, and it must be loaded into memory, one thread loads it and the others
  /// wait.
  /// @throws Error as `open`; also bad_file if the archive has changed since it was opened
  std::shared_ptr<const ArchiveBytes> get(const TarPart& part);
  /// Does the same for a read of a single member, for which a part of an archive on a server is not read as a whole.
  std::shared_ptr<const ArchiveBytes> get_for_one(const TarPart& part);
  /// Starts to read a part of an archive on a server, which will be requested soon, as far as the cache has room; see
  /// LastUsed::prefetch. Thread-safe.
  void prefetch(const TarPart& part);
  /// Announces that a part is not needed any more; see LastUsed::release. Thread-safe.
  void release(const TarPart& part) { held_.release({part.name, part.begin}); }

 private:
  std::shared_ptr<const RemoteFile> open_once(const std::string& url);
  std::shared_ptr<const ByteSource> open_unchanged(const TarPart& part);
  std::shared_ptr<const ArchiveBytes> load(const TarPart& part);

  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const RemoteFile>> remote_;     ///< by URL; detects changes of the archives
  LastUsed<std::pair<std::string, std::uint64_t>, ArchiveBytes> held_;  ///< by name and first byte
  std::shared_ptr<DiskCache> cache_;                                    ///< null if the environment names none
};

}  // namespace troupe
