#pragma once

#include <cstdint>
#include <map>

#include "actors/transport/admission/message_shapes.hpp"

namespace troupe {

/// The state of the conversation on the control connection between a driver and one node: which actors exist at both
/// ends, and which answers are missing. It decides which message is allowed. Both ends of a connection keep one, and
/// both see a question before its answer.
class Conversation {
 public:
  using Actor = std::uint64_t;

  /// Sets the driver's only actor, from the driver's handshake.
  void begin(Actor driver) { driver_ = driver; }
  bool node_joined() const { return node_ != 0; }

  /// Records a message.
  /// @throws Error protocol if its sender or receiver is not allowed, or if it answers no question
  void say(MessageKind kind, Actor from, Actor to);
  /// Records that one end monitors an actor of the other end.
  /// @throws Error protocol if the actor is unknown
  void watch_driver(Actor actor);
  void watch_node(Actor actor);
  /// Records that an actor has ended.
  /// @throws Error protocol if the actor was not monitored
  void end_of_driver(Actor actor);
  void end_of_node(Actor actor);

 private:
  /// An actor of the node: the node itself or one of its workers.
  struct Party {
    std::map<MessageKind, std::uint32_t> owed;  ///< number of missing answers
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
  Actor node_ = 0;  ///< 0 before the node has joined
  std::uint32_t joins_owed_ = 0;
  Parties parties_;
};

}  // namespace troupe
