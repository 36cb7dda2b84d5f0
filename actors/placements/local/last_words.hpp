#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Creates a memory file through which a worker process reports to the driver: a counter shows that the process is
/// alive, and an error ("last words") states why it cannot start. The file is accessed by read and write calls and is
/// not mapped. So if a process shortens the file, the driver is not ended by SIGBUS.
/// @throws Error system or limit_reached if the file cannot be created
FileDescriptor make_last_words();
/// Writes an error into the file. A message that is too long is truncated.
void leave_last_words(int file, const std::exception& error) noexcept;
/// Returns the error in the file; std::nullopt if there is none.
/// @param where the place to which the returned error refers
std::optional<Error> read_last_words(int file, const Where& where);

/// Writes a sign of life into the file.
/// @param count a number that increases with each sign of life
void show_life(int file, std::uint64_t count) noexcept;
/// Returns the last count that `show_life` has written; 0 if there was none.
std::uint64_t read_life(int file) noexcept;

}  // namespace troupe
