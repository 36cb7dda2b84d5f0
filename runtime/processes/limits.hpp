#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "troupe/error.hpp"

// This file declares functions for the limits that a container or a shell sets for this process. Some functions
// describe a limit in an error message, others check whether a limit will be exceeded.
namespace troupe {

/// Throws the Error for a failed system call. If descriptors or memory have run out, throws Error limit_reached, whose
/// message contains the limit and how to raise it. Otherwise throws Error system.
/// @param what the start of the message: the operation that failed, such as "cannot start the object store"
/// @param error the call's `errno`
[[noreturn]] void throw_refused(const std::string& what, int error);
/// Throws Error limit_reached, whose message contains the limit that prevents one more thread or process. Call this
/// immediately after a thread or process could not be started, because the limit is recognized from the current numbers
/// of threads and bytes.
/// @param what the start of the message: the operation that failed, such as "cannot start a thread"
[[noreturn]] void throw_no_task(const std::string& what);
/// Returns an Error limit_reached, whose message contains this process's memory limit.
/// @param what the start of the message: the operation that failed
Error no_memory(const std::string& what);
/// Return a sentence for an error message: this process's limit on open files (`file_limit_text`) or on memory
/// (`memory_limit_text`), and how to raise the limit.
std::string file_limit_text();
std::string memory_limit_text();
/// Returns a sentence for an error message: this process's limit on shared memory, and how to raise the limit. This is
/// the limit on the size of files, if that limit is set and not above the machine's memory. Otherwise it is the limit
/// on memory.
std::string object_limit_text();

/// Starts a thread that runs `work`. @throws Error limit_reached, whose message contains the limit, if the system
/// refuses
template <class Thread = std::thread, class Work>
Thread start_thread(Work work) try {
  return Thread(std::move(work));
} catch (const std::system_error&) {
  throw_no_task("cannot start a thread");
}

/// Raises the soft limit on open files to the hard limit, for this process and the processes that it starts.
void raise_file_limit();

/// Returns how many bytes of memory this process may use: the machine's memory, or the memory limit of a cgroup around
/// the process if that is less.
std::size_t memory_bytes();
/// Checks whether `bytes` bytes of memory are available. If too little memory is available, returns a text such as
/// "needs 900 MB of memory, but only 500 MB remain of ..."; otherwise returns an empty text. If the kernel's files
/// cannot be read, also returns an empty text. Call this before allocating much memory, because the kernel kills a
/// process that exceeds a cgroup's limit.
std::string lack_of_memory(std::size_t bytes);
/// Checks that `bytes` bytes of memory are available.
/// @param what_for the start of the error message: what needs the memory
/// @throws Error limit_reached if `lack_of_memory` finds too little memory
void require_memory(std::size_t bytes, const std::string& what_for);

}  // namespace troupe
