#pragma once

#include <map>

#include "actors/rounds/reception.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// The mailbox of the driver's actor. Maps member numbers to actors, and sends and receives their messages. The mailbox
/// is used on the thread that calls `DistributedSGD`, so the driver switches no threads during a step.
class DriverMailbox : public Reception {
 public:
  explicit DriverMailbox(caf::actor_system& system) : self_(system) {}

  caf::actor address() const { return caf::actor_cast<caf::actor>(self_); }
  /// Makes the mailbox return the event `Departure` when `actor` ends. Call this function for an actor that is not a
  /// member yet.
  void watch(const caf::actor& actor) { self_->monitor(actor); }

  void seat(int member, const caf::actor& actor) override;
  void unseat(int member) override;
  void send(int member, const caf::message& message) override;

 private:
  std::optional<Happening> hear(const Deadline& deadline) override;
  /// Returns the event for an actor that has ended: `Ended` if the actor is a member, and otherwise `Departure`.
  Happening ended(const caf::actor_addr& actor) const;
  std::optional<Happening> heard(caf::message content) const;

  const OwningProcess owner_;
  caf::scoped_actor self_;
  std::map<int, caf::actor> actors_;
  std::map<caf::actor_addr, int> members_;
};

}  // namespace troupe
