#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Creates a memory file in which a child process shows that it is alive, or writes why it cannot start. The file is
/// read and written, not mapped, so a process that shortens it does no harm.
/// @throws Error system or limit_reached
FileDescriptor make_last_words();
/// Writes the error, truncated if necessary.
void leave_last_words(int file, const std::exception& error) noexcept;
/// Returns the error; nothing if none was written.
std::optional<Error> read_last_words(int file, const Where& where);

/// @param count increases with each sign of life
void show_life(int file, std::uint64_t count) noexcept;
/// Returns the last count; 0 before the first.
std::uint64_t read_life(int file) noexcept;

}  // namespace troupe
