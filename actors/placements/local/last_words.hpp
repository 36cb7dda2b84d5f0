#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// A memory file in which a child process says that it lives, or why it cannot start. It is read and written, not
/// mapped: a file that its other user makes shorter does no harm. @throws Error system or limit_reached
FileDescriptor make_last_words();
/// Writes what can be written.
void leave_last_words(int file, const std::exception& error) noexcept;
/// None where nothing was left.
std::optional<Error> read_last_words(int file, const Where& where);

/// @param count goes up with each sign of life
void show_life(int file, std::uint64_t count) noexcept;
/// The last count; 0 before the first.
std::uint64_t read_life(int file) noexcept;

}  // namespace troupe
