#pragma once

// The log: messages that are neither reports nor errors. By default the log is written to standard error.
//
//    troupe::set_log_sink([](const troupe::LogRecord& record) { my_logger.write(record.text); });

#include <cstdint>
#include <functional>
#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// Severity of a message, in ascending order.
enum class LogLevel : std::uint8_t {
  info,     ///< an expected event, such as a node that has joined
  warning,  ///< a problem that the run survives, such as a checkpoint that could not be written
  error,    ///< a problem that ends this process, or an internal error of Troupe
};

/// Returns "info", "warning" or "error".
const char* to_string(LogLevel level);

/// One message of the log.
struct LogRecord {
  LogLevel level = LogLevel::info;
  std::string text;  ///< one sentence, without a line break
  Where where;       ///< the worker, node, phase, step or file of the message, if it has one
};

/// Drops all messages of this process with a level below `least`. The initial level is the value of the environment
/// variable TROUPE_LOG_LEVEL ("info", "warning" or "error"), which worker processes inherit. If the variable is not
/// set, the initial level is `info`. Thread-safe.
void set_log_level(LogLevel least);

/// A function that receives each message of the log.
using LogSink = std::function<void(const LogRecord& record)>;

/// Sends the log of this process to `sink` instead of standard error. An empty `sink` restores the default: each
/// message is written to standard error as a line with "troupe: " and the text.
///
/// Any thread may call the sink, but only one thread at a time. The sink must not call a DistributedSGD. If the sink
/// throws, the exception is dropped and the message is written to standard error. A message that the sink itself causes
/// is also written to standard error. Once set_log_sink has returned, the previous sink is not called again, unless the
/// previous sink itself made this call.
///
/// Each process has its own sink. Worker processes and nodes that are started from this program run `main` up to
/// `init`. So if `main` sets a sink before `init`, they use this sink as well. Otherwise their log is written to their
/// standard error, which worker processes share with the driver.
void set_log_sink(LogSink sink);

}  // namespace troupe
