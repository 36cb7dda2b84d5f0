#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Creates a memory file through which a worker process reports to the driver. A counter in the file shows that the
/// process is alive. If the process cannot start, it writes the error into the file (its "last words"). The file is
/// read and written with system calls and is not mapped, so a process that shortens the file cannot cause a SIGBUS in
/// the driver.
/// @throws Error system or limit_reached if the file cannot be created
FileDescriptor make_last_words();
/// Writes `error` into the file as last words. A message that is too long is truncated.
void leave_last_words(int file, const std::exception& error) noexcept;
/// Returns the error that `leave_last_words` has written into the file; std::nullopt if there is none.
/// @param where the place to which the returned error refers
std::optional<Error> read_last_words(int file, const Where& where);

/// Writes a sign of life into the file, as a counter.
/// @param count a number that increases with each sign of life
void show_life(int file, std::uint64_t count) noexcept;
/// Returns the last count that `show_life` has written; 0 if there was none.
std::uint64_t read_life(int file) noexcept;

}  // namespace troupe
