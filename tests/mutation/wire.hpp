#pragma once

#include "actors/messages/messages.hpp"

namespace troupe_test {

enum class Direction : unsigned char { to_member, to_driver };

/// Receives every message of a run and may replace it. Thread-safe.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  /// @param member the sender or the receiver: the index of a worker, or for nodes the number of workers plus the index
  virtual caf::message pass(Direction direction, int member, caf::message message) = 0;
  /// Called if a part of the run does not end.
  virtual void note_hanging() {}
};

}  // namespace troupe_test
