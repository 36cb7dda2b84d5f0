#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The limits that control groups (version 1 and 2) set for this process. A container's limits are those of its cgroup.
namespace troupe::cgroup {

/// Returns the folders of a process's cgroup and of its visible ancestors, innermost first, for one controller. Folders
/// of version 1 come before those of version 2.
/// @param memberships,mounts contents of /proc/PID/cgroup and /proc/PID/mountinfo; malformed lines are skipped.
std::vector<std::string> folders(std::string_view memberships, std::string_view mounts, std::string_view controller);

/// Returns none for "max", for the number that version 1 writes for "no limit", and for text that is not a number.
std::optional<std::uint64_t> parse_limit(std::string_view text);
/// Returns the number after `key` in lines of "key number".
std::optional<std::uint64_t> parse_count(std::string_view text, std::string_view key);

/// A limit and its current use.
struct Limit {
  std::uint64_t most = 0;
  std::uint64_t used = 0;
  std::string file;  ///< file of the limit, which accepts another value
  /// For memory only: bytes of swap that may be used in addition.
  std::uint64_t swap_left = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t left() const { return most > used ? most - used : 0; }
};

/// Reads the kernel's current values. A file that cannot be read counts as no limit.
class Reader {
 public:
  /// Returns a file's content; empty if the file cannot be read.
  using ReadFile = std::function<std::string(const std::string& path)>;

  Reader();
  explicit Reader(ReadFile read) : read_(std::move(read)) {}

  /// Limits of memory in bytes, innermost cgroup first. The page cache of files counts as unused.
  std::vector<Limit> memory() const;
  /// Limits of threads of all processes, innermost cgroup first.
  std::vector<Limit> tasks() const;
  /// The quota of processor time in cores, rounded up; none if there is no quota.
  std::optional<std::uint64_t> cores() const;
  /// The number of processes of the innermost cgroup that were killed because memory ran out.
  std::uint64_t out_of_memory_kills() const;

 private:
  std::vector<std::string> folders_of(std::string_view controller) const;
  std::uint64_t cached(const std::string& folder) const;
  std::uint64_t memory_in_use(const std::string& folder) const;
  std::uint64_t swap_left(const std::string& folder, std::uint64_t memory_left) const;

  ReadFile read_;
};

}  // namespace troupe::cgroup
