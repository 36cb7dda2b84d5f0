#pragma once

#include <optional>
#include <variant>

#include "actors/messages/messages.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// A worker that has just come.
struct Joined {
  Join join;
  caf::actor worker;
};

/// A node that has just come.
struct NodeJoined {
  NodeJoin join;
  caf::actor node;
};

/// An actor that has ended, or whose connection has.
struct Ended {
  caf::actor_addr actor;
};

/// A reply, and who has sent it.
template <class Reply>
struct From {
  Reply reply;
  caf::actor_addr sender;
};

using Event = std::variant<Joined, NodeJoined, Ended, From<Built>, From<Computed>, From<Applied>, From<TaskDone>>;

/// The driver actor: lives on the thread of whoever calls `DistributedSGD`, so that a step costs no hop between threads
/// on the driver's side.
class Mailbox {
 public:
  explicit Mailbox(caf::actor_system& system) : self_(system) {}

  caf::actor address() const { return caf::actor_cast<caf::actor>(self_); }
  /// The next thing that happens; none when the deadline passes first.
  std::optional<Event> next(const Deadline& deadline);
  template <class Message>
  void send(const caf::actor& to, const Message& message) {
    before_send();
    self_->send(to, message);
  }
  /// From now on `Ended` tells when the actor is gone.
  void watch(const caf::actor& actor) { self_->monitor(actor); }
  void unwatch(const caf::actor& actor) { self_->demonitor(actor); }

 private:
  template <class Reply>
  auto into(std::optional<Event>& event);

  caf::scoped_actor self_;
};

}  // namespace troupe
