#include "runtime/processes/cgroup.hpp"

#include <algorithm>
#include <charconv>

#include "runtime/processes/kernel_file.hpp"

namespace troupe::cgroup {
namespace {

/// A limit of at least this number means "no limit". Cgroup version 1 writes such a number, which is larger than any
/// machine's memory, if there is no limit.
constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 60;

/// Removes the text up to and including the first `separator` from `rest`, and returns this text without the separator.
/// If there is no separator, removes and returns all of `rest`.
std::string_view next_part(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

bool has_part(std::string_view list, std::string_view wanted) {
  while (!list.empty())
    if (next_part(list, ',') == wanted) return true;
  return false;
}

bool is_octal(std::string_view digits) { return digits.find_first_not_of("01234567") == digits.npos; }

/// Decodes the escape sequences of /proc/PID/mountinfo, in which for example a space is written as \040.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size() && is_octal(text.substr(i + 1, 3));
    if (escaped) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

/// A mounted tree of cgroups: `folder` is the mount point, and `root` is the path of the cgroup that is visible there.
struct Mount {
  std::string root;
  std::string folder;
};

/// Returns the first mount of a file system of type `type`, from the content of /proc/PID/mountinfo.
/// @param controller if not empty, only mounts with this option count
std::optional<Mount> find_mount(std::string_view mounts, std::string_view type, std::string_view controller) {
  while (!mounts.empty()) {
    std::string_view line = next_part(mounts, '\n');
    const auto separator = line.find(" - ");
    if (separator == line.npos) continue;
    std::string_view behind = line.substr(separator + 3);
    if (next_part(behind, ' ') != type) continue;
    next_part(behind, ' ');
    if (!controller.empty() && !has_part(behind, controller)) continue;
    for (int i = 0; i < 3; ++i) next_part(line, ' ');
    Mount mount;
    mount.root = unescaped(next_part(line, ' '));
    mount.folder = unescaped(next_part(line, ' '));
    if (mount.root.starts_with('/') && mount.folder.starts_with('/')) return mount;
  }
  return std::nullopt;
}

/// Returns the path of a process's cgroup, from `memberships`, the content of /proc/PID/cgroup. If `controller` is
/// empty, returns the path of version 2, from the line "0::PATH". Otherwise returns the path of version 1, from the
/// line that contains the controller's name.
std::optional<std::string> find_membership(std::string_view memberships, std::string_view controller) {
  while (!memberships.empty()) {
    std::string_view line = next_part(memberships, '\n');
    const bool version_2 = next_part(line, ':') == "0";
    const auto controllers = next_part(line, ':');
    const bool wanted = controller.empty() ? version_2 && controllers.empty() : has_part(controllers, controller);
    if (wanted && line.starts_with('/')) return std::string(line);
  }
  return std::nullopt;
}

/// Returns `path`, the path of a cgroup, relative to `root`, the mounted cgroup. Returns an empty text if `path` is
/// `root`. Also returns an empty text if `path` is not below `root`: the cgroup's own folder is not visible then, so
/// the limits of `root` are used instead.
std::string below(const std::string& root, const std::string& path) {
  const std::string base = root == "/" ? "" : root;
  const bool inside = path.starts_with(base + "/") && path.find("/..") == path.npos;
  return inside && path.size() > base.size() + 1 ? path.substr(base.size()) : "";
}

/// Appends to `to` the folders of the cgroup `path` and of its ancestors in `mount`, innermost first.
void add_folders(const std::optional<Mount>& mount, const std::optional<std::string>& path,
                 std::vector<std::string>& to) {
  if (!mount || !path) return;
  std::string inner = below(mount->root, *path);
  for (; !inner.empty(); inner.erase(inner.rfind('/'))) to.push_back(mount->folder + inner);
  to.push_back(mount->folder);
}

/// Returns the quotient of `quota` (processor time) and `period`, which is a number of cores, rounded up; none if there
/// is no quota.
std::optional<std::uint64_t> quota_in_cores(std::string_view quota, std::string_view period) {
  const auto time = parse_limit(quota);
  const auto each = parse_limit(period);
  if (!time || !each || *time == 0 || *each == 0) return std::nullopt;
  return (*time + *each - 1) / *each;
}

}  // namespace

std::vector<std::string> folders(std::string_view memberships, std::string_view mounts, std::string_view controller) {
  std::vector<std::string> found;
  add_folders(find_mount(mounts, "cgroup", controller), find_membership(memberships, controller), found);
  add_folders(find_mount(mounts, "cgroup2", ""), find_membership(memberships, ""), found);
  return found;
}

std::optional<std::uint64_t> parse_limit(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = end == text.data() + text.size() || *end == '\n';
  if (error != std::errc{} || !is_whole || number >= kUnlimited) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> parse_count(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = next_part(text, '\n');
    if (next_part(line, ' ') == key) return parse_limit(line);
  }
  return std::nullopt;
}

Reader::Reader() : Reader(&read_kernel_file) {}

std::vector<std::string> Reader::folders_of(std::string_view controller) const {
  return folders(read_("/proc/self/cgroup"), read_("/proc/self/mountinfo"), controller);
}

/// Returns the bytes of memory in which the kernel caches file contents, for a cgroup and its child cgroups. In
/// memory.stat of version 1, only the keys that begin with "total_" include the child cgroups.
std::uint64_t Reader::cached(const std::string& folder) const {
  const std::string stat = read_(folder + "/memory.stat");
  const std::string prefix = parse_limit(read_(folder + "/memory.current")) ? "" : "total_";
  return parse_count(stat, prefix + "inactive_file").value_or(0) +
         parse_count(stat, prefix + "active_file").value_or(0);
}

std::uint64_t Reader::memory_in_use(const std::string& folder) const {
  const auto version_2 = parse_limit(read_(folder + "/memory.current"));
  const auto used = version_2 ? version_2 : parse_limit(read_(folder + "/memory.usage_in_bytes"));
  const std::uint64_t files = cached(folder);
  return used.value_or(0) > files ? *used - files : 0;
}

/// Returns how many bytes of swap space the cgroup may still use. Version 2 has a limit for swap alone. Version 1 has a
/// limit for memory and swap together, so `memory_left` is subtracted from the remainder of this limit.
std::uint64_t Reader::swap_left(const std::string& folder, std::uint64_t memory_left) const {
  const auto number = [&](const char* file) { return parse_limit(read_(folder + file)); };
  const auto less = [](std::uint64_t all, std::uint64_t part) { return all > part ? all - part : 0; };
  if (const auto swap = number("/memory.swap.max")) return less(*swap, number("/memory.swap.current").value_or(0));
  const auto both = number("/memory.memsw.limit_in_bytes");
  if (!both) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t used = less(number("/memory.memsw.usage_in_bytes").value_or(0), cached(folder));
  return less(less(*both, used), memory_left);
}

std::vector<Limit> Reader::memory() const {
  std::vector<Limit> found;
  for (const std::string& folder : folders_of("memory")) {
    for (const char* name : {"/memory.max", "/memory.limit_in_bytes"}) {
      const auto most = parse_limit(read_(folder + name));
      if (!most) continue;
      found.push_back({*most, memory_in_use(folder), folder + name});
      found.back().swap_left = swap_left(folder, found.back().left());
    }
  }
  return found;
}

std::vector<Limit> Reader::tasks() const {
  std::vector<Limit> found;
  for (const std::string& folder : folders_of("pids"))
    if (const auto most = parse_limit(read_(folder + "/pids.max")))
      found.push_back({*most, parse_limit(read_(folder + "/pids.current")).value_or(0), folder + "/pids.max"});
  return found;
}

std::optional<std::uint64_t> Reader::cores() const {
  std::optional<std::uint64_t> least;
  const auto note = [&](const std::optional<std::uint64_t>& cores) {
    if (cores) least = std::min(least.value_or(*cores), *cores);
  };
  for (const std::string& folder : folders_of("cpu")) {
    const std::string both = read_(folder + "/cpu.max");
    std::string_view period = both;
    const auto quota = next_part(period, ' ');
    note(quota_in_cores(quota, period));
    note(quota_in_cores(read_(folder + "/cpu.cfs_quota_us"), read_(folder + "/cpu.cfs_period_us")));
  }
  return least;
}

std::uint64_t Reader::out_of_memory_kills() const {
  for (const std::string& folder : folders_of("memory"))
    for (const char* name : {"/memory.events", "/memory.oom_control"})
      if (const auto kills = parse_count(read_(folder + name), "oom_kill")) return *kills;
  return 0;
}

}  // namespace troupe::cgroup
