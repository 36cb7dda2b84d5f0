#pragma once

#include <optional>
#include <variant>

#include "actors/messages/messages.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// A message from a member. The member's number is determined by the connection, not by the message, so that a member
/// cannot pose as another member.
struct Answer {
  int member = 0;
  caf::message content;
};

/// The event that a member or its connection has ended.
struct Ended {
  int member = 0;
};

using Event = std::variant<Answer, Ended>;

/// Sends messages to members and receives events from them. Members are addressed by number.
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  virtual ~Mailbox() = default;

  virtual void send(int member, const caf::message& message) = 0;
  /// Returns the next event, or none if the deadline passes first.
  virtual std::optional<Event> next(const Deadline& deadline) = 0;
};

}  // namespace troupe
