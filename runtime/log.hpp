#pragma once

#include <string>

#include "troupe/log.hpp"

namespace troupe {

/// Logs a record: passes the record to the process's log sink, or writes `text` to standard error if there is no sink.
/// A record whose level is below the process's log level is dropped. The library writes to standard error only through
/// this function.
/// @param text one sentence. Parts that come from outside the program must have passed through `printable`.
/// @param where the worker, step or other place in the run that the record is about; only a log sink receives it
void log_line(LogLevel level, const std::string& text, const Where& where = {}) noexcept;

}  // namespace troupe
