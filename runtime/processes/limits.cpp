#include "runtime/processes/limits.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "runtime/processes/cgroup.hpp"
#include "runtime/processes/kernel_file.hpp"

namespace troupe {
namespace {

constexpr const char* kMorePids =
    "raise it there, or by docker run --pids-limit, Kubernetes' podPidsLimit or systemd's TasksMax";
constexpr const char* kMoreMemory =
    "raise it there, or by docker run --memory, Kubernetes' resources.limits.memory or systemd's MemoryMax";

/// A limit on threads counts as the reason for a refused thread if it allows at most this many more threads. The number
/// is not 0, because other threads may have ended since the refusal.
constexpr std::uint64_t kNearlyNone = 3;

/// Returns the soft limit of this process for `resource`; none if unlimited.
std::optional<std::uint64_t> soft_limit(__rlimit_resource_t resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

/// Returns the number at the start of the file `path`; none if the file cannot be read.
std::optional<std::uint64_t> number_in(const char* path) {
  const std::string text = read_kernel_file(path);
  if (text.empty()) return std::nullopt;
  return std::strtoull(text.c_str(), nullptr, 10);
}

std::uint64_t mapped_bytes() {
  return number_in("/proc/self/statm").value_or(0) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t stack_bytes() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  if (::pthread_getattr_default_np(&attributes) != 0) return 0;
  ::pthread_attr_getstacksize(&attributes, &bytes);
  ::pthread_attr_destroy(&attributes);
  return bytes;
}

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

std::string address_space_text(std::uint64_t limit) {
  return "RLIMIT_AS limits the address space of this process to " + megabytes(limit) + "; raise it with `ulimit -v`";
}

/// Returns a number of bytes from `text`, the content of /proc/meminfo or /proc/PID/status; none if there is no such
/// line.
/// @param key the start of the line, with the preceding line end: "\nSwapFree:" finds the line "SwapFree: 1234 kB"
std::optional<std::uint64_t> bytes_in(const std::string& text, const std::string& key) {
  const auto found = text.find(key);
  if (found == text.npos) return std::nullopt;
  return std::strtoull(text.c_str() + found + key.size(), nullptr, 10) << 10;
}

/// Returns how many bytes of memory this process uses of the kind that RLIMIT_DATA limits: private memory, including
/// the stacks of threads.
std::uint64_t own_bytes() { return bytes_in(read_kernel_file("/proc/self/status"), "\nVmData:").value_or(0); }

std::string data_text(std::uint64_t limit) {
  return "RLIMIT_DATA limits this process to " + megabytes(limit) +
         " of private memory; raise it with `ulimit -d`, or raise the trial's memory";
}

/// Returns the number of threads of all processes on the machine. In /proc/loadavg, with a content such as "0.00 0.01
/// 0.05 2/345 6789", this is the number after the slash (345).
std::uint64_t threads_of_machine() {
  const std::string text = read_kernel_file("/proc/loadavg");
  const auto slash = text.find('/');
  return slash == text.npos ? 0 : std::strtoull(text.c_str() + slash + 1, nullptr, 10);
}

/// Returns a sentence that describes the limit which prevents one more thread or process. Checks first the limits whose
/// use can be measured. If none of them is reached, describes RLIMIT_NPROC or a cgroup's limit, because only these
/// remain.
std::string task_limit_text() {
  const auto mapped = soft_limit(RLIMIT_AS);
  if (mapped && mapped_bytes() + stack_bytes() > *mapped) return address_space_text(*mapped);
  const auto data = soft_limit(RLIMIT_DATA);
  if (data && own_bytes() + stack_bytes() > *data) return data_text(*data);
  for (const cgroup::Limit& limit : cgroup::Reader().tasks())
    if (limit.left() <= kNearlyNone)
      return "pids.max of its cgroup allows " + std::to_string(limit.most) + " threads and processes (" + limit.file +
             "); " + kMorePids;
  for (const char* file : {"/proc/sys/kernel/threads-max", "/proc/sys/kernel/pid_max"})
    if (const auto most = number_in(file); most && threads_of_machine() + 1 >= *most)
      return std::string(file) + " allows the machine " + std::to_string(*most) + "; raise it there";
  const auto most = soft_limit(RLIMIT_NPROC);
  std::string around = "a cgroup around this container allows no more (pids.max)";
  if (!most) return around;
  return "RLIMIT_NPROC limits user " + std::to_string(::getuid()) + " to " + std::to_string(*most) +
         " threads and processes (raise it with `ulimit -u`), or " + around;
}

std::uint64_t machine_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::string file_limit_text() {
  return "RLIMIT_NOFILE limits this process to " + std::to_string(soft_limit(RLIMIT_NOFILE).value_or(0)) +
         " open files; raise it with `ulimit -n`, docker run --ulimit nofile=N or systemd's LimitNOFILE";
}

std::string memory_limit_text() {
  const auto left = [](std::uint64_t most, std::uint64_t taken) { return most - std::min(most, taken); };
  const auto mapped = soft_limit(RLIMIT_AS);
  const auto data = soft_limit(RLIMIT_DATA);
  if (data && (!mapped || left(*data, own_bytes()) < left(*mapped, mapped_bytes()))) return data_text(*data);
  if (mapped) return address_space_text(*mapped);
  const auto limits = cgroup::Reader().memory();
  const auto least = std::min_element(limits.begin(), limits.end(),
                                      [](const auto& one, const auto& other) { return one.left() < other.left(); });
  if (least == limits.end()) return "the machine has " + megabytes(machine_bytes());
  return "its cgroup allows " + megabytes(least->most) + " (" + least->file + "); " + kMoreMemory;
}

std::string object_limit_text() {
  const auto most = soft_limit(RLIMIT_FSIZE);
  if (!most || *most > machine_bytes()) return memory_limit_text();
  return "RLIMIT_FSIZE limits files, which include shared memory, to " + std::to_string(*most >> 10) +
         " KB; raise it with `ulimit -f`";
}

void throw_refused(const std::string& what, int error) {
  const std::string said = what + ": " + std::generic_category().message(error);
  if (error == EMFILE) throw Error(ErrorCode::limit_reached, said + ": " + file_limit_text());
  if (error == ENFILE) throw Error(ErrorCode::limit_reached, said + ": raise /proc/sys/fs/file-max");
  if (error == ENOMEM) throw Error(ErrorCode::limit_reached, said + ": " + memory_limit_text());
  throw Error(ErrorCode::system, said);
}

void throw_no_task(const std::string& what) { throw Error(ErrorCode::limit_reached, what + ": " + task_limit_text()); }

Error no_memory(const std::string& what) { return {ErrorCode::limit_reached, what + ": " + memory_limit_text()}; }

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t memory_bytes() {
  std::uint64_t least = machine_bytes();
  for (const cgroup::Limit& limit : cgroup::Reader().memory()) least = std::min(least, limit.most);
  return least;
}

std::string lack_of_memory(std::size_t bytes) {
  const std::string memory = read_kernel_file("/proc/meminfo");
  const std::uint64_t swap = bytes_in(memory, "\nSwapFree:").value_or(0);
  const auto available = bytes_in(memory, "\nMemAvailable:");  // free or easily reclaimed
  const auto lack = [&](std::uint64_t left, const std::string& whose) {
    return "needs " + megabytes(bytes) + " of memory, but only " + megabytes(left) + " remain of " + whose;
  };
  for (const cgroup::Limit& limit : cgroup::Reader().memory())
    if (const std::uint64_t left = limit.left() + std::min(swap, limit.swap_left); bytes > left)
      return lack(left,
                  "the " + megabytes(limit.most) + " that its cgroup allows (" + limit.file + "); " + kMoreMemory);
  if (available && bytes > *available + swap)
    return lack(*available + swap, "the machine's " + megabytes(machine_bytes()));
  return "";
}

void require_memory(std::size_t bytes, const std::string& what_for) {
  const std::string lack = lack_of_memory(bytes);
  if (!lack.empty()) throw Error(ErrorCode::limit_reached, what_for + " " + lack);
}

}  // namespace troupe
