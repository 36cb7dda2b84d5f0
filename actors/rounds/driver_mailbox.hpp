#pragma once

#include <map>

#include "actors/rounds/reception.hpp"
#include "runtime/fork/owning_process.hpp"

namespace troupe {

/// The mailbox of the driver actor, which maps member numbers to actors. It runs on the thread that calls
/// `DistributedSGD`, so a step needs no thread switch on the driver's side.
class DriverMailbox : public Reception {
 public:
  explicit DriverMailbox(caf::actor_system& system) : self_(system) {}

  caf::actor address() const { return caf::actor_cast<caf::actor>(self_); }
  /// Makes the mailbox return `Departure` when `actor` ends. Call it for an actor that is not a member yet.
  void watch(const caf::actor& actor) { self_->monitor(actor); }

  void seat(int member, const caf::actor& actor) override;
  void unseat(int member) override;
  void send(int member, const caf::message& message) override;

 private:
  std::optional<Happening> hear(const Deadline& deadline) override;
  Happening ended(const caf::actor_addr& actor) const;
  std::optional<Happening> heard(caf::message content) const;

  const OwningProcess owner_;
  caf::scoped_actor self_;
  std::map<int, caf::actor> actors_;
  std::map<caf::actor_addr, int> members_;
};

}  // namespace troupe
