#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "runtime/files/log_file.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// One operation of an asynchronous run: a request to parameter servers (`ask`) or to a worker (`compute`), a dropped
/// push (`drop`), a completed step, or a rest. A rest begins with `rest` and ends with `rested`; the operations in
/// between bring all members to rest. Given the initial weights and the data, the order of operations determines all
/// results.
struct ServerOperation {
  enum class Kind : std::uint8_t { ask, compute, drop, step, rest, rested };
  Kind kind = Kind::ask;
  int worker = -1;
  /// The worker's clock. If the operation is a step or a rest: the number of steps completed before the operation.
  std::int64_t clock = 0;
  /// For `ask` and `drop`: whether the request includes the worker's push.
  bool pushes = false;
  /// For `ask` and `drop`: whether the request includes serving weights to the worker.
  bool serves = false;

  bool operator==(const ServerOperation&) const = default;
};

/// The properties of a run, by name, that must have the same values when the run's record is replayed.
using RecordedRun = std::map<std::string, std::string>;

/// The files to which an asynchronous run records its operations, and from which it replays operations.
struct ServerFiles {
  std::string record = {};  ///< the file to write; empty: no recording
  std::string replay = {};  ///< the file to replay; empty: no replay
  RecordedRun run = {};
};

/// Writes the operations of a run to a file as they happen (a record). The first operation replaces the file's previous
/// content. Each line of the file is a JSON object. The first line contains the properties of the run (`RecordedRun`);
/// each other line contains one operation.
class ServerRecorder {
 public:
  /// Opens the file `path` for writing, but does not change it before the first `write`.
  /// @throws Error bad_file if the file cannot be written; in_use if another run writes it
  ServerRecorder(const std::string& path, RecordedRun run);
  /// Writes an operation to the record. If the file cannot be written, logs an error and stops recording; the run
  /// continues. The record then still ends with a complete line.
  void write(const ServerOperation& operation);
  /// Returns the error message with which recording stopped; empty if recording has not stopped.
  const std::string& failure() const { return failure_; }

 private:
  RecordedRun run_;
  std::optional<LogFile> file_;  ///< none after writing has failed
  bool begun_ = false;
  std::string failure_;
};

/// Reads a record, which a `ServerRecorder` has written, and returns its operations in order.
class ServerScript {
 public:
  /// Reads the record in the file `path`.
  /// @param run the properties of this run, which must be equal to those in the record
  /// @throws Error bad_file if a line of the record is invalid, or if a property differs. The error contains the number
  /// of the line, or the property.
  ServerScript(const std::string& path, const RecordedRun& run);
  /// Returns the record's next operation without removing it; see `take`.
  /// @throws Error bad_file if the record has ended
  const ServerOperation& next() const;
  /// Returns the number of steps that were completed at the next rest in the record; none if the record contains no
  /// further rest.
  std::optional<std::int64_t> next_rest() const;
  /// Returns the error (bad_file) to throw if the record's next operation does not match this run. The error contains
  /// the line number.
  Error other_run() const;
  bool done() const { return operations_.empty(); }
  /// Removes the next operation from the script; the file does not change.
  void take();

 private:
  void check_run(const RecordedRun& recorded, const RecordedRun& run) const;

  std::string path_;
  std::size_t taken_ = 0;
  std::deque<ServerOperation> operations_;
};

}  // namespace troupe
