#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "runtime/files/log_file.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// An operation in the recorded order: a request to parameter servers or to a worker, a dropped push, a completed step,
/// or a rest. Given the initial weights and the data, the order determines all results. The operations between `rest`
/// and `rested` bring all members to rest.
struct ServerOperation {
  enum class Kind : std::uint8_t { ask, compute, drop, step, rest, rested };
  Kind kind = Kind::ask;
  int worker = -1;
  std::int64_t clock = 0;  ///< the worker's clock; for a step or rest, the number of steps completed before it
  bool pushes = false;
  bool serves = false;

  bool operator==(const ServerOperation&) const = default;
};

/// The properties of a run that must be equal when its record is replayed: value by name.
using RecordedRun = std::map<std::string, std::string>;

/// The names of the files that a run records to and replays from.
struct ServerFiles {
  std::string record = {};  ///< the file to write; empty: no recording
  std::string replay = {};  ///< the file to replay; empty: no replay
  RecordedRun run = {};
};

/// Writes operations to a file as they happen. The first operation replaces the file's content. The file has lines of
/// JSON; its first line describes the run.
class ServerRecorder {
 public:
  /// Opens the file without changing it.
  /// @throws Error bad_file if the file cannot be written; in_use if another run writes it
  ServerRecorder(const std::string& path, RecordedRun run);
  /// Writes an operation. If the file cannot be written, logs an error and stops recording, and the run continues. The
  /// record then ends with a complete line.
  void write(const ServerOperation& operation);
  /// Returns the reason why recording has stopped; empty if it has not stopped.
  const std::string& failure() const { return failure_; }

 private:
  RecordedRun run_;
  std::optional<LogFile> file_;  ///< none after a failure
  bool begun_ = false;
  std::string failure_;
};

/// Reads the operations of a record in order.
class ServerScript {
 public:
  /// @throws Error bad_file if a line is invalid, or if a value of `run` differs from the record. The error contains
  /// the line's number, or the value.
  ServerScript(const std::string& path, const RecordedRun& run);
  /// Returns the next operation. Does not remove it; see `take`.
  /// @throws Error bad_file if the record has ended
  const ServerOperation& next() const;
  /// Returns the number of steps that are completed at the next rest of the record; none if there is no further rest.
  std::optional<std::int64_t> next_rest() const;
  /// Returns the error (bad_file) for a record that does not match this run.
  Error other_run() const;
  bool done() const { return operations_.empty(); }
  /// Removes the next operation.
  void take();

 private:
  void check_run(const RecordedRun& recorded, const RecordedRun& run) const;

  std::string path_;
  std::size_t taken_ = 0;
  std::deque<ServerOperation> operations_;
};

}  // namespace troupe
