#pragma once

#include <string>

#include "troupe/log.hpp"

namespace troupe {

/// Passes a record to the process's log sink, or writes it to standard error if there is none. Troupe writes to
/// standard error only through this function.
/// @param text one sentence; parts that come from outside the program must have passed through `printable`
void log_line(LogLevel level, const std::string& text, const Where& where = {}) noexcept;

}  // namespace troupe
