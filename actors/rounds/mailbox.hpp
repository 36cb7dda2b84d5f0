#pragma once

#include <optional>
#include <variant>

#include "actors/messages/messages.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// What a member says. Who it is the connection tells, not the message.
struct Answer {
  int member = 0;
  caf::message content;
};

/// A member has ended, or its connection has.
struct Ended {
  int member = 0;
};

using Event = std::variant<Answer, Ended>;

/// How rounds reach members: by number.
class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  virtual ~Mailbox() = default;

  virtual void send(int member, const caf::message& message) = 0;
  /// The next thing that happens; none when the deadline passes first.
  virtual std::optional<Event> next(const Deadline& deadline) = 0;
};

}  // namespace troupe
