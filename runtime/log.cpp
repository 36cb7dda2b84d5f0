#include "runtime/log.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/fork/owning_process.hpp"
#include "runtime/redaction.hpp"

namespace troupe {
namespace {

constexpr std::array<const char*, 3> kLevels{"info", "warning", "error"};

LogLevel level_of_environment() {
  const char* const name = std::getenv("TROUPE_LOG_LEVEL");
  const auto found = std::ranges::find(kLevels, std::string(name == nullptr ? "" : name));
  return found == kLevels.end() ? LogLevel::info : static_cast<LogLevel>(found - kLevels.begin());
}

struct Log {
  std::recursive_mutex mutex;  // recursive: a sink may itself log, or set another sink
  std::shared_ptr<const LogSink> sink;
  bool busy = false;  ///< a sink is running, in the thread that holds the mutex
  std::atomic<LogLevel> least = level_of_environment();
};

Log& process_log() {
  static Log& log = *new Log;  // never destroyed: abandoned threads may outlive main
  return log;
}

/// Writes the line in one piece, because other threads and processes write to standard error, too.
void write_line(const std::string& text) noexcept try {
  std::cerr << "troupe: " + without_secrets(text) + "\n" << std::flush;
} catch (...) {
  return;  // no place is left to report the error
}

/// Passes a record to the log sink. Returns false if there is no sink, the sink throws, or the sink is already running
/// in this thread (the sink itself logs).
bool hand_over(Log& log, LogLevel level, const std::string& text, const Where& where) try {
  if (!log.sink || log.busy) return false;
  const std::shared_ptr<const LogSink> sink = log.sink;  // keeps the sink alive if the sink replaces itself
  log.busy = true;
  bool taken = true;
  try {
    const ForkBarrier barrier;
    Where place = where;
    place.object = without_secrets(std::move(place.object));
    (*sink)({level, without_secrets(text), std::move(place)});
  } catch (...) {
    taken = false;
  }
  log.busy = false;
  return taken;
} catch (...) {
  return false;
}

}  // namespace

const char* to_string(LogLevel level) {
  const auto index = static_cast<std::size_t>(level);
  return index < kLevels.size() ? kLevels[index] : "unknown";
}

void log_line(LogLevel level, const std::string& text, const Where& where) noexcept {
  Log& log = process_log();
  if (level < log.least) return;
  const std::lock_guard lock(log.mutex);
  if (!hand_over(log, level, text, where)) write_line(text);
}

void set_log_level(LogLevel least) { process_log().least = least; }

void set_log_sink(LogSink sink) {
  auto next = sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr;
  Log& log = process_log();
  const std::lock_guard lock(log.mutex);
  log.sink.swap(next);
}

}  // namespace troupe
