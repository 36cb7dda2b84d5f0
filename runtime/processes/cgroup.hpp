#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// This file declares functions that read the limits which Linux control groups (cgroups, version 1 and 2) set for this
// process. The limits of a container are the limits of its cgroup.
namespace troupe::cgroup {

/// Returns the folders of a process's cgroup and of its visible ancestors, innermost first. The folders are below the
/// mount points of the cgroup file systems. Folders of cgroup version 1 come before those of version 2.
/// @param memberships content of /proc/PID/cgroup; malformed lines are skipped
/// @param mounts content of /proc/PID/mountinfo; malformed lines are skipped
/// @param controller the kind of limits, such as "memory": version 1 has a separate tree of cgroups for each kind
std::vector<std::string> folders(std::string_view memberships, std::string_view mounts, std::string_view controller);

/// Returns the limit in `text`, the content of a cgroup file such as memory.max. Returns none if `text` is not a
/// number, or means that there is no limit. That is "max" in version 2, and a number of at least 2^60 in version 1.
std::optional<std::uint64_t> parse_limit(std::string_view text);
/// Returns NUMBER from the line "KEY NUMBER" of `text`, where KEY is the parameter `key`. Each line of `text` has this
/// form. Returns none if no line has the key.
std::optional<std::uint64_t> parse_count(std::string_view text, std::string_view key);

/// One limit of one cgroup, and how much of the limit is in use. The unit is bytes for memory, and threads for tasks.
struct Limit {
  std::uint64_t most = 0;
  std::uint64_t used = 0;
  std::string file;  ///< the file that sets the limit
  /// For memory only: bytes of swap space that may still be used, in addition to memory.
  std::uint64_t swap_left = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t left() const { return most > used ? most - used : 0; }
};

/// Reads the current limits of this process from the kernel's files. A file that cannot be read counts as no limit.
class Reader {
 public:
  /// Returns a file's content; empty if the file cannot be read.
  using ReadFile = std::function<std::string(const std::string& path)>;

  Reader();
  /// Makes a reader that reads files with the function `read`. Only tests use it.
  explicit Reader(ReadFile read) : read_(std::move(read)) {}

  /// Returns the memory limits of this process's cgroups in bytes, innermost cgroup first. Cached contents of files do
  /// not count as used memory, because the kernel can free them.
  std::vector<Limit> memory() const;
  /// Returns the limits on the number of threads of all processes in a cgroup together, innermost cgroup first.
  std::vector<Limit> tasks() const;
  /// Returns the smallest quota of processor time of this process's cgroups, in cores, rounded up; none if there is no
  /// quota.
  std::optional<std::uint64_t> cores() const;
  /// Returns how many processes of the innermost cgroup the kernel has killed because memory ran out.
  std::uint64_t out_of_memory_kills() const;

 private:
  std::vector<std::string> folders_of(std::string_view controller) const;
  std::uint64_t cached(const std::string& folder) const;
  std::uint64_t memory_in_use(const std::string& folder) const;
  std::uint64_t swap_left(const std::string& folder, std::uint64_t memory_left) const;

  ReadFile read_;
};

}  // namespace troupe::cgroup
