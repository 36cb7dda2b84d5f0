#pragma once

#include <deque>

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

/// A mailbox at which members come and go.
class Reception : public Mailbox {
 public:
  /// From now on the actor is that member, in place of another, and its end is told.
  virtual void seat(int member, const caf::actor& actor) = 0;
  /// Whatever the member still says is dropped.
  virtual void unseat(int member) = 0;
  /// Everything that happens, workers first that arrived while nobody asked for them. None when the deadline passes
  /// first.
  std::optional<Happening> next_happening(const Deadline& deadline);

  /// Arrivals of workers are kept, those of others dropped.
  std::optional<Event> next(const Deadline& deadline) override;
  /// Whether a worker has arrived that nobody has asked for yet.
  bool has_arrival() const { return !arrivals_.empty(); }

 private:
  virtual std::optional<Happening> hear(const Deadline& deadline) = 0;

  std::deque<WorkerArrival> arrivals_;
};

}  // namespace troupe
