#pragma once

#include <optional>
#include <variant>

#include "actors/messages/messages.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// A message that a member has sent. The mailbox determines `member` from the connection, not from the message's
/// content, so that a member cannot impersonate another member.
struct Answer {
  int member = 0;
  caf::message content;
};

/// The event that a member or its connection has ended.
struct Ended {
  int member = 0;
};

using Event = std::variant<Answer, Ended>;

/// Sends messages to members, and receives their answers and the events of their ends. Members are addressed by number.
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  virtual ~Mailbox() = default;

  virtual void send(int member, const caf::message& message) = 0;
  /// Waits for the next event and returns it. Returns none if the deadline passes first.
  virtual std::optional<Event> next(const Deadline& deadline) = 0;
};

}  // namespace troupe
