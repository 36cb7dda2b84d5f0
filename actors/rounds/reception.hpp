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

/// The event that an actor has ended that is not a member, or not a member yet.
struct Departure {
  caf::actor_addr actor;
};

using Happening = std::variant<Answer, Ended, WorkerArrival, NodeArrival, Departure>;

/// A mailbox that also accepts new members.
class Reception : public Mailbox {
 public:
  /// Makes `actor` the member with this number, in place of the previous actor. When `actor` ends, the mailbox returns
  /// `Ended`.
  virtual void seat(int member, const caf::actor& actor) = 0;
  /// Removes the member's actor. Later answers of the actor are dropped.
  virtual void unseat(int member) = 0;
  /// Returns the next event of any kind, or none if the deadline passes first. Workers whose arrival was kept by `next`
  /// come before new events.
  std::optional<Happening> next_happening(const Deadline& deadline);

  /// Returns the next event of a member. Keeps arrivals of workers for `next_happening`; drops all other events.
  std::optional<Event> next(const Deadline& deadline) override;
  /// Returns whether `next` has kept the arrival of a worker that `next_happening` has not returned yet.
  bool has_arrival() const { return !arrivals_.empty(); }

 private:
  /// Returns the next new event of any kind, or none if the deadline passes first.
  virtual std::optional<Happening> hear(const Deadline& deadline) = 0;

  std::deque<WorkerArrival> arrivals_;
};

}  // namespace troupe
