#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What control groups, of version 1 and 2, allow this process. A container's limits are its cgroup's.
namespace troupe::cgroup {

/// Folders of a process's cgroup and of its visible ancestors, innermost first, for one controller; those of version 1
/// before those of version 2.
/// @param memberships,mounts contents of /proc/PID/cgroup and /proc/PID/mountinfo; lines that make no sense are
/// skipped.
std::vector<std::string> folders(std::string_view memberships, std::string_view mounts, std::string_view controller);

/// None for "max", for what version 1 writes where there is no limit, and for what is no number.
std::optional<std::uint64_t> parse_limit(std::string_view text);
/// What follows `key` in lines of "key number".
std::optional<std::uint64_t> parse_count(std::string_view text, std::string_view key);

/// A limit and what is used of it.
struct Limit {
  std::uint64_t most = 0;
  std::uint64_t used = 0;
  std::string file;  ///< that says so, and takes another number
  /// Of memory: bytes of swap that may be used besides.
  std::uint64_t swap_left = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t left() const { return most > used ? most - used : 0; }
};

/// Reads what the kernel says now. What cannot be read limits nothing.
class Reader {
 public:
  /// A file's content; empty where it cannot be read.
  using ReadFile = std::function<std::string(const std::string& path)>;

  Reader();
  explicit Reader(ReadFile read) : read_(std::move(read)) {}

  /// Bytes of memory, of which the page cache of files counts as unused; the innermost cgroup first.
  std::vector<Limit> memory() const;
  /// Threads of all processes; the innermost cgroup first.
  std::vector<Limit> tasks() const;
  /// CPUs' worth of time, rounded up; none without a quota.
  std::optional<std::uint64_t> cores() const;
  /// Processes of the innermost cgroup that were killed for want of memory.
  std::uint64_t out_of_memory_kills() const;

 private:
  std::vector<std::string> folders_of(std::string_view controller) const;
  std::uint64_t cached(const std::string& folder) const;
  std::uint64_t memory_in_use(const std::string& folder) const;
  std::uint64_t swap_left(const std::string& folder, std::uint64_t memory_left) const;

  ReadFile read_;
};

}  // namespace troupe::cgroup
