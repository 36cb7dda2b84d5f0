#pragma once

#include <cstdint>
#include <map>

#include "actors/transport/admission/message_shapes.hpp"

namespace troupe {

/// Who may say what to whom, and when, on the control connection between a driver and one node: which actors are there
/// at both ends, who was asked and has not answered. Both ends of a connection keep one, and both see a question before
/// its answer.
class Conversation {
 public:
  using Actor = std::uint64_t;

  /// The driver's one actor, as its handshake names it.
  void begin(Actor driver) { driver_ = driver; }
  bool node_joined() const { return node_ != 0; }

  /// A message has been said. @throws Error protocol: it is for or from somebody else than it may be, or nobody asked
  void say(MessageKind kind, Actor from, Actor to);
  /// One end wants to hear of the end of an actor of the other. @throws Error protocol for one that it was not told of
  void watch_driver(Actor actor);
  void watch_node(Actor actor);
  /// An actor has ended. @throws Error protocol where nobody wanted to hear of that
  void end_of_driver(Actor actor);
  void end_of_node(Actor actor);

 private:
  /// An actor of the node: the node itself, or one of its workers.
  struct Party {
    std::map<MessageKind, std::uint32_t> owed;  ///< answers
    std::uint32_t watched = 0;
  };
  using Parties = std::map<Actor, Party>;

  void say_to_node(MessageKind kind, Actor from, Actor to);
  void say_to_driver(MessageKind kind, Actor from);
  static void watch(std::uint32_t& watched);
  void come(Actor actor);
  Party& party(Actor actor);

  Actor driver_ = 0;
  std::uint32_t driver_watched_ = 0;
  Actor node_ = 0;  ///< none before it has joined
  std::uint32_t joins_owed_ = 0;
  Parties parties_;
};

}  // namespace troupe
