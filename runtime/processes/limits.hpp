#pragma once

#include <cstddef>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "troupe/error.hpp"

// The limits that a process meets in a container or a shell: what to say of them, and whom to ask before.
namespace troupe {

/// Throws what a system call's error means: limit_reached, with the limit and how to raise it, for a lack of
/// descriptors or memory; else system.
[[noreturn]] void throw_refused(const std::string& what, int error);
/// Throws limit_reached with the limit that keeps this process from one more thread or process. To be called while it
/// is reached.
[[noreturn]] void throw_no_task(const std::string& what);
/// limit_reached with the limit on memory that this process has.
Error no_memory(const std::string& what);
/// The limit on open files, or on memory, that this process has, and how to raise it.
std::string file_limit_text();
std::string memory_limit_text();
/// That on memory which is shared, and is a file to the system.
std::string object_limit_text();

/// Starts a thread. @throws Error limit_reached
template <class Thread = std::thread, class Work>
Thread start_thread(Work work) try {
  return Thread(std::move(work));
} catch (const std::system_error&) {
  throw_no_task("cannot start a thread");
}

/// Lets this process, and those that it starts, have as many files open as its hard limit says.
void raise_file_limit();

/// Bytes of memory that there are for this process: the machine's, or those of a cgroup around it.
std::size_t memory_bytes();
/// To be asked before much memory is taken, which a cgroup's limit would punish with SIGKILL: "takes ... of memory, and
/// ... are left of ..." where so much surely is not left; else empty.
std::string lack_of_memory(std::size_t bytes);
/// @throws Error limit_reached where there is a lack.
void require_memory(std::size_t bytes, const std::string& what_for);

}  // namespace troupe
