#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Reads the limits that Linux control groups (cgroups, version 1 and 2) set for this process. A container's limits are
// the limits of its cgroup.
namespace troupe::cgroup {

/// Returns the folders, below the cgroup mount points, of a process's cgroup and its visible ancestors, innermost
/// first. Folders of version 1 come before those of version 2.
/// @param memberships content of /proc/PID/cgroup; malformed lines are skipped
/// @param mounts content of /proc/PID/mountinfo; malformed lines are skipped
/// @param controller the kind of limits, such as "memory"; selects the hierarchy of version 1
std::vector<std::string> folders(std::string_view memberships, std::string_view mounts, std::string_view controller);

/// Returns the number in the content of a limit's file. Returns none if there is no limit ("max", or the large number
/// that version 1 writes), and for text that is not a number.
std::optional<std::uint64_t> parse_limit(std::string_view text);
/// Returns the number in the line "KEY NUMBER" of a text with one such line per key. KEY is `key`. Returns none if
/// there is no such line.
std::optional<std::uint64_t> parse_count(std::string_view text, std::string_view key);

/// The limit of one cgroup, and how much of it is in use.
struct Limit {
  std::uint64_t most = 0;
  std::uint64_t used = 0;
  std::string file;  ///< the file that sets the limit
  /// For memory only: bytes of swap that may be used in addition to the memory.
  std::uint64_t swap_left = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t left() const { return most > used ? most - used : 0; }
};

/// Reads the current limits of this process from the kernel's files. If a file cannot be read, there is no limit.
class Reader {
 public:
  /// Returns a file's content; empty if the file cannot be read.
  using ReadFile = std::function<std::string(const std::string& path)>;

  Reader();
  /// Reads files with `read`, for tests.
  explicit Reader(ReadFile read) : read_(std::move(read)) {}

  /// Returns the limits of memory in bytes, innermost cgroup first. Cached contents of files do not count as used
  /// memory.
  std::vector<Limit> memory() const;
  /// Returns the limits of the number of threads, including those of other processes in the cgroup, innermost cgroup
  /// first.
  std::vector<Limit> tasks() const;
  /// Returns the smallest quota of processor time, in cores, rounded up; none if there is no quota.
  std::optional<std::uint64_t> cores() const;
  /// Returns the number of processes of the innermost cgroup that were killed because memory ran out.
  std::uint64_t out_of_memory_kills() const;

 private:
  std::vector<std::string> folders_of(std::string_view controller) const;
  std::uint64_t cached(const std::string& folder) const;
  std::uint64_t memory_in_use(const std::string& folder) const;
  std::uint64_t swap_left(const std::string& folder, std::uint64_t memory_left) const;

  ReadFile read_;
};

}  // namespace troupe::cgroup
