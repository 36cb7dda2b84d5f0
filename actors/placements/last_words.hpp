#pragma once

#include <exception>
#include <optional>

#include "runtime/file_descriptor.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// A memory file in which a child process says why it cannot start. @throws Error system or limit_reached
FileDescriptor make_last_words();
/// Writes what can be written.
void leave_last_words(int file, const std::exception& error) noexcept;
/// None where nothing was left.
std::optional<Error> read_last_words(int file, const Where& where);

}  // namespace troupe
