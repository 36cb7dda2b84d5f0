#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "troupe/error.hpp"

// The limits that a container or a shell sets for this process: texts for error messages, and checks before a limit is
// reached.
namespace troupe {

/// Throws the error for a failed system call. If descriptors or memory ran out, throws limit_reached with the limit and
/// how to raise it; otherwise throws system.
/// @param what what failed, for the message
/// @param error the call's `errno`
[[noreturn]] void throw_refused(const std::string& what, int error);
/// Throws Error limit_reached that names the limit which prevents one more thread or process. Call this immediately
/// after the failure, while the limit is still reached.
[[noreturn]] void throw_no_task(const std::string& what);
/// Returns an Error limit_reached that names this process's memory limit. @param what what failed, for the message
Error no_memory(const std::string& what);
/// Return sentences for errors that describe this process's limit on open files, or on memory, and how to raise it.
std::string file_limit_text();
std::string memory_limit_text();
/// Returns a sentence that describes the limit on shared memory, and how to raise it: the limit on the size of files,
/// which applies to memory files, too, or the limit on memory.
std::string object_limit_text();

/// Starts a thread that runs `work`. @throws Error limit_reached that names the limit, if the system refuses
template <class Thread = std::thread, class Work>
Thread start_thread(Work work) try {
  return Thread(std::move(work));
} catch (const std::system_error&) {
  throw_no_task("cannot start a thread");
}

/// Raises the soft limit on open files to the hard limit, for this process and processes that it starts.
void raise_file_limit();

/// Returns the bytes of memory that this process may have: the machine's memory, or the memory limit of a cgroup around
/// the process if that is less.
std::size_t memory_bytes();
/// Checks whether `bytes` of memory are available. If they are certainly not, returns a text such as "needs ... of
/// memory, but only ... remain of ..."; otherwise returns an empty text. Call this before allocating much memory,
/// because the kernel kills a process that exceeds a cgroup's limit.
std::string lack_of_memory(std::size_t bytes);
/// Checks that `bytes` of memory are available for `what_for`. @throws Error limit_reached if they are certainly not
void require_memory(std::size_t bytes, const std::string& what_for);

}  // namespace troupe
