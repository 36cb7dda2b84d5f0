#pragma once

#include <chrono>

namespace troupe {

/// Takes the lock of an open file, waiting at most so long for who has it: a process that was killed while it started
/// another leaves its lock to that one until its exec. False where somebody keeps it; where files cannot be locked,
/// nobody is kept out.
bool lock_in_time(int file, std::chrono::milliseconds patience);

}  // namespace troupe
