#pragma once

#include <deque>

#include "actors/rounds/mailbox.hpp"

namespace troupe {

/// An actor that asks to become a member.
template <class JoinMessage>
struct Arrival {
  JoinMessage join;
  caf::actor actor;
};
using WorkerArrival = Arrival<Join>;
using NodeArrival = Arrival<NodeJoin>;

/// The end of an actor that is not a member, or not yet.
struct Departure {
  caf::actor_addr actor;
};

using Happening = std::variant<Answer, Ended, WorkerArrival, NodeArrival, Departure>;

/// A mailbox that also accepts new members.
class Reception : public Mailbox {
 public:
  /// Makes `actor` the given member, in place of the actor before, and reports the end of the actor.
  virtual void seat(int member, const caf::actor& actor) = 0;
  /// Drops all further messages of the member.
  virtual void unseat(int member) = 0;
  /// Returns the next event of any kind, or none if the deadline passes first. Workers that arrived earlier and were
  /// kept come first.
  std::optional<Happening> next_happening(const Deadline& deadline);

  /// Returns the next event of a member. Keeps arrivals of workers for `next_happening`; drops all other events.
  std::optional<Event> next(const Deadline& deadline) override;
  /// Whether an arrived worker has not been returned by `next_happening` yet.
  bool has_arrival() const { return !arrivals_.empty(); }

 private:
  virtual std::optional<Happening> hear(const Deadline& deadline) = 0;

  std::deque<WorkerArrival> arrivals_;
};

}  // namespace troupe
