#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <optional>
#include <string>

#include "troupe/error.hpp"

namespace troupe {

/// What parameter servers and workers were asked for, in order: from that, and from first weights and data, all else
/// follows. Lines of JSON. What lies between `rest` and `rested` brought all to rest.
struct ServerOperation {
  enum class Kind : std::uint8_t { ask, compute, drop, rest, rested };
  Kind kind = Kind::ask;
  int worker = -1;
  std::int64_t clock = 0;  ///< of the worker; of a rest, the steps that have been made
  bool pushes = false;
  bool serves = false;

  bool operator==(const ServerOperation&) const = default;
};

/// Writes them as they happen, in place of what the file held.
class ServerRecorder {
 public:
  /// Leaves the file as it is. @throws Error system where it cannot be written
  explicit ServerRecorder(std::string path);
  void write(const ServerOperation& operation);

 private:
  void check() const;

  std::string path_;
  std::ofstream file_;
};

/// Reads what was written, one after the other.
class ServerScript {
 public:
  /// @throws Error bad_file naming the line that makes no sense
  explicit ServerScript(const std::string& path);
  /// The next one. @throws Error bad_file where the record ends
  const ServerOperation& next() const;
  /// After how many steps all come to rest next; none where they do not.
  std::optional<std::int64_t> next_rest() const;
  /// That what it holds next did not happen. @return Error bad_file
  Error other_run() const;
  bool done() const { return operations_.empty(); }
  void take();

 private:
  std::string path_;
  std::size_t taken_ = 0;
  std::deque<ServerOperation> operations_;
};

}  // namespace troupe
