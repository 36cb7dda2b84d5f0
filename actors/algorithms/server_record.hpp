#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "runtime/files/log_file.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// What parameter servers and workers were asked for, and between what a step was made, in order: from that, and from
/// first weights and data, all else follows. What lies between `rest` and `rested` brought all to rest.
struct ServerOperation {
  enum class Kind : std::uint8_t { ask, compute, drop, step, rest, rested };
  Kind kind = Kind::ask;
  int worker = -1;
  std::int64_t clock = 0;  ///< of the worker; else the steps that have been made
  bool pushes = false;
  bool serves = false;

  bool operator==(const ServerOperation&) const = default;
};

/// What a run has to have in common with the one that it replays: text by name.
using RecordedRun = std::map<std::string, std::string>;

/// The files of such a run.
struct ServerFiles {
  std::string record = {};  ///< that is written; empty: none
  std::string replay = {};  ///< by which it goes; empty: none
  RecordedRun run = {};
};

/// Writes them as they happen, in place of what the file held: lines of JSON, the first of which tells of the run.
class ServerRecorder {
 public:
  /// Leaves the file as it is. @throws Error bad_file where it cannot be written, in_use where another run writes it
  ServerRecorder(const std::string& path, RecordedRun run);
  /// What the file cannot take costs the record, which ends with a whole line, and not the run: it is told in the log.
  void write(const ServerOperation& operation);
  /// Why the record ends before the run; empty: it does not.
  const std::string& failure() const { return failure_; }

 private:
  RecordedRun run_;
  std::optional<LogFile> file_;  ///< none once it has failed
  bool begun_ = false;
  std::string failure_;
};

/// Reads what was written, one after the other.
class ServerScript {
 public:
  /// @throws Error bad_file naming the line that makes no sense, or what this run has not in common with the other
  ServerScript(const std::string& path, const RecordedRun& run);
  /// The next one. @throws Error bad_file where the record ends
  const ServerOperation& next() const;
  /// After how many steps all come to rest next; none where they do not.
  std::optional<std::int64_t> next_rest() const;
  /// That what it holds next did not happen. @return Error bad_file
  Error other_run() const;
  bool done() const { return operations_.empty(); }
  void take();

 private:
  void check_run(const RecordedRun& recorded, const RecordedRun& run) const;

  std::string path_;
  std::size_t taken_ = 0;
  std::deque<ServerOperation> operations_;
};

}  // namespace troupe
