#pragma once

#include <string>

#include "troupe/log.hpp"

namespace troupe {

/// Logs a record: passes it to the process's log sink, or writes `text` to standard error if there is no sink. Records
/// below the log level are dropped. Troupe writes to standard error only through this function.
/// @param text one sentence. Parts that come from outside the program must have passed through `printable`.
/// @param where the place in the run that the record is about, for the sink
void log_line(LogLevel level, const std::string& text, const Where& where = {}) noexcept;

}  // namespace troupe
