#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// In order: each is more than the one before.
enum class LogLevel : std::uint8_t {
  info,     ///< what went as it should, such as a node that has joined
  warning,  ///< what the run goes on with, such as a checkpoint that could not be written
  error,    ///< what ends this process, or a mistake of Troupe's own
};

/// The level's name: "info", "warning" or "error".
const char* to_string(LogLevel level);

/// A line that Troupe says beside reports and errors.
struct LogRecord {
  LogLevel level = LogLevel::info;
  std::string text;  ///< one sentence, without an end of line
  Where where;       ///< what it is about, as far as that is one worker, node, phase, step or file
};

/// From now on this process says nothing below this level. To begin with it is what the environment variable
/// TROUPE_LOG_LEVEL names, which worker processes inherit; else `info`.
void set_log_level(LogLevel least);

using LogSink = std::function<void(const LogRecord& record)>;

/// From now on all that this process says goes there, in place of standard error, where a record is the line "troupe: "
/// and its text; an empty sink is that again. The sink is called by any thread, one at a time, and must not call a
/// DistributedSGD. What it throws is dropped, and its record written to standard error, as is one that comes while it
/// runs, from its own thread. When this returns the sink before is called no more, unless by it.
///
/// Each process has its own. Worker processes and nodes started from this program run `main` up to `init`, so a sink
/// that is set before `init` is theirs, too; else they write to their standard error: workers to their driver's.
void set_log_sink(LogSink sink);

}  // namespace troupe
