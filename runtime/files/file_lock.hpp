#pragma once

#include <chrono>
#include <string>

#include "runtime/file_descriptor.hpp"

namespace troupe {

/// Opens, or makes, a file that is there to be locked, for its owner alone: who can open one can lock it.
/// @throws Error bad_file
FileDescriptor open_lock_file(const std::string& path);

/// Takes the lock of an open file, waiting at most so long for who has it: a process that was killed while it started
/// another leaves its lock to that one until its exec. False where somebody keeps it; where files cannot be locked,
/// nobody is kept out.
bool lock_in_time(int file, std::chrono::milliseconds patience);

/// The same for a file to which one run writes at a time. @throws Error in_use that names the file
void lock_alone(int file, const std::string& path);

}  // namespace troupe
