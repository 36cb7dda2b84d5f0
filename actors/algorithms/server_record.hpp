#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <optional>
#include <string>

namespace troupe {

/// What parameter servers and workers were asked for, in order: from that, and from first weights and data, all else
/// follows. Lines of JSON.
struct ServerOperation {
  enum class Kind : std::uint8_t { ask, compute, drop, rest };
  Kind kind = Kind::ask;
  int worker = -1;
  std::int64_t clock = 0;  ///< of the worker
  bool pushes = false;
  bool serves = false;

  bool operator==(const ServerOperation&) const = default;
};

/// Writes them as they happen.
class ServerRecorder {
 public:
  /// @throws Error system where it cannot be written
  explicit ServerRecorder(std::string path);
  void write(const ServerOperation& operation);

 private:
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
  bool done() const { return operations_.empty(); }
  void take() { operations_.pop_front(); }

 private:
  std::string path_;
  std::deque<ServerOperation> operations_;
};

}  // namespace troupe
