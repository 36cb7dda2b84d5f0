#pragma once

#include "actors/messages/messages.hpp"

namespace troupe_test {

enum class Direction : unsigned char { to_member, to_driver };

/// Sees every message of a run on its way, and may put another in its place. Any thread.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  /// @param member who sends it or receives it: workers by their index, and behind them nodes
  virtual caf::message pass(Direction direction, int member, caf::message message) = 0;
  /// Of what takes part in the run something does not end.
  virtual void note_hanging() {}
};

}  // namespace troupe_test
