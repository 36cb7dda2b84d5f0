#pragma once

#include <string>

#include "troupe/log.hpp"

namespace troupe {

/// Hands a record to the process's sink, or to standard error. All that is said there goes this way.
/// @param text one sentence; what comes from elsewhere in it is `printable`
void log_line(LogLevel level, const std::string& text, const Where& where = {}) noexcept;

}  // namespace troupe
