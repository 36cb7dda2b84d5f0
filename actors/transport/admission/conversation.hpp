#pragma once

#include <cstdint>
#include <map>

#include "actors/transport/admission/message_shapes.hpp"

namespace troupe {

/// Decides which messages are allowed on the control connection between a driver and one node. For this purpose it
/// records which actors exist at both ends, and which requests have no answer yet. Each end of a connection has such an
/// object. Both objects record a request before its answer, because the request passes both ends first.
class Conversation {
 public:
  using Actor = std::uint64_t;

  /// Sets the number of the driver's only actor, which the driver's handshake contains.
  void begin(Actor driver) { driver_ = driver; }
  /// Returns true if the node has sent its NodeJoin.
  bool node_joined() const { return node_ != 0; }

  /// Checks and records a message.
  /// @throws Error protocol if this kind of message is not allowed between the two actors, or if the message is an
  /// answer without a request
  void say(MessageKind kind, Actor from, Actor to);
  /// The next two functions record that one end monitors an actor of the other end: an actor of the driver, or of the
  /// node.
  /// @throws Error protocol if the actor is unknown or is monitored too often
  void watch_driver(Actor actor);
  void watch_node(Actor actor);
  /// The next two functions record a notice that a monitored actor has ended: an actor of the driver, or of the node.
  /// @throws Error protocol if the actor was not monitored
  void end_of_driver(Actor actor);
  void end_of_node(Actor actor);

 private:
  /// An actor of the node: the node itself or one of its workers.
  struct Party {
    std::map<MessageKind, std::uint32_t> owed;  ///< number of requests without an answer, by kind of answer
    std::uint32_t watched = 0;
  };
  using Parties = std::map<Actor, Party>;

  void say_to_node(MessageKind kind, Actor from, Actor to);
  void say_to_driver(MessageKind kind, Actor from);
  static void watch(std::uint32_t& watched);
  /// Records that an actor of the node has joined.
  void come(Actor actor);
  /// Returns the record of an actor of the node.
  /// @throws Error protocol if the actor has not joined
  Party& party(Actor actor);

  Actor driver_ = 0;
  std::uint32_t driver_watched_ = 0;
  Actor node_ = 0;  ///< 0 before the node has joined
  std::uint32_t joins_owed_ = 0;
  Parties parties_;
};

}  // namespace troupe
