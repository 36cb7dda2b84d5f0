#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "troupe/error.hpp"

// The limits that a container or a shell sets for a process: their error messages, and checks before they are reached.
namespace troupe {

/// Throws the error for a failed system call: limit_reached, with the limit and how to raise it, if descriptors or
/// memory ran out; otherwise system.
[[noreturn]] void throw_refused(const std::string& what, int error);
/// Throws limit_reached, naming the limit that prevents one more thread or process. Call this while the limit is
/// reached.
[[noreturn]] void throw_no_task(const std::string& what);
/// Returns an Error limit_reached that names this process's memory limit.
Error no_memory(const std::string& what);
/// Describe the limit on open files, or on memory, of this process, and how to raise it.
std::string file_limit_text();
std::string memory_limit_text();
/// Describes the limit on shared memory, which the system counts as a file.
std::string object_limit_text();

/// Starts a thread. @throws Error limit_reached
template <class Thread = std::thread, class Work>
Thread start_thread(Work work) try {
  return Thread(std::move(work));
} catch (const std::system_error&) {
  throw_no_task("cannot start a thread");
}

/// Raises the limit on open files, for this process and those that it starts, to the hard limit.
void raise_file_limit();

/// Returns the bytes of memory available to this process: the machine's, or the limit of a surrounding cgroup.
std::size_t memory_bytes();
/// Call this before taking much memory, because a process that exceeds a cgroup's limit is killed by SIGKILL. If that
/// much memory is certainly not available, returns "needs ... of memory, but only ... remain of ..."; otherwise empty.
std::string lack_of_memory(std::size_t bytes);
/// @throws Error limit_reached if there is not enough memory.
void require_memory(std::size_t bytes, const std::string& what_for);

}  // namespace troupe
