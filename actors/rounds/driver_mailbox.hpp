#pragma once

#include <map>

#include "actors/rounds/mailbox.hpp"

namespace troupe {

/// An actor that wants to be a member.
template <class JoinMessage>
struct Arrival {
  JoinMessage join;
  caf::actor actor;
};
using WorkerArrival = Arrival<Join>;
using NodeArrival = Arrival<NodeJoin>;

/// Somebody has ended who is no member, or not yet.
struct Departure {
  caf::actor_addr actor;
};

using Happening = std::variant<Answer, Ended, WorkerArrival, NodeArrival, Departure>;

/// The driver actor: lives on the thread of whoever calls `DistributedSGD`, so that a step costs no hop between threads
/// on the driver's side. Knows which actor each member is.
class DriverMailbox : public Mailbox {
 public:
  explicit DriverMailbox(caf::actor_system& system) : self_(system) {}

  caf::actor address() const { return caf::actor_cast<caf::actor>(self_); }
  /// From now on the actor is that member, in place of another, and its end is told.
  void seat(int member, const caf::actor& actor);
  /// Whatever the member still says is dropped.
  void unseat(int member);
  /// Tells when an actor ends that is no member yet.
  void watch(const caf::actor& actor) { self_->monitor(actor); }

  void send(int member, const caf::message& message) override;
  /// Arrivals are dropped.
  std::optional<Event> next(const Deadline& deadline) override;
  /// Everything that happens. None when the deadline passes first.
  std::optional<Happening> next_happening(const Deadline& deadline);

 private:
  Happening ended(const caf::actor_addr& actor) const;
  std::optional<Happening> heard(caf::message content) const;

  caf::scoped_actor self_;
  std::map<int, caf::actor> actors_;
  std::map<caf::actor_addr, int> members_;
};

}  // namespace troupe
