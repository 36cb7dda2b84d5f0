#pragma once

#include <deque>

#include "actors/rounds/mailbox.hpp"

namespace troupe {

/// The event that an actor asks to become a member: its join message and the actor.
template <class JoinMessage>
struct Arrival {
  JoinMessage join;
  caf::actor actor;
};
using WorkerArrival = Arrival<Join>;
using NodeArrival = Arrival<NodeJoin>;

/// The event that an actor has ended which is not a member (any more, or not yet).
struct Departure {
  caf::actor_addr actor;
};

using Happening = std::variant<Answer, Ended, WorkerArrival, NodeArrival, Departure>;

/// A mailbox that also receives the join messages of actors, and assigns member numbers to actors.
class Reception : public Mailbox {
 public:
  /// Makes `actor` the member with the number `member`, in place of the previous actor with this number. When `actor`
  /// ends, the mailbox returns the event `Ended`.
  virtual void seat(int member, const caf::actor& actor) = 0;
  /// Removes the actor of `member` from the mailbox. Later messages of this actor are dropped.
  virtual void unseat(int member) = 0;
  /// Returns the next event of any kind, or none if the deadline passes first. First returns the arrivals of workers
  /// that `next` has kept, and then new events.
  std::optional<Happening> next_happening(const Deadline& deadline);

  /// Returns the next answer or end of a member, or none if the deadline passes first. Keeps arrivals of workers for
  /// `next_happening`, and drops all other events.
  std::optional<Event> next(const Deadline& deadline) override;
  /// Returns whether an arrival of a worker is kept, which `next_happening` has not returned yet.
  bool has_arrival() const { return !arrivals_.empty(); }

 private:
  /// Waits for a new event of any kind and returns it. Returns none if the deadline passes first.
  virtual std::optional<Happening> hear(const Deadline& deadline) = 0;

  std::deque<WorkerArrival> arrivals_;
};

}  // namespace troupe
