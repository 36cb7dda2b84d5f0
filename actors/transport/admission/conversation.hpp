#pragma once

#include <cstdint>
#include <map>

#include "actors/transport/admission/message_shapes.hpp"

namespace troupe {

/// Decides which messages are allowed on the control connection between the driver and one node. For this purpose, a
/// Conversation records which actors exist at both ends, and which requests have no answer yet. Each end of the
/// connection has a Conversation. The end that sends a request records it when sending, and the other end records it
/// when it arrives. So an end has always recorded a request before the answer arrives.
class Conversation {
 public:
  using Actor = std::uint64_t;

  /// Sets the number of the driver's actor. The driver has a single actor, whose number is in the driver's handshake.
  void begin(Actor driver) { driver_ = driver; }
  /// Returns true if the node has sent its NodeJoin.
  bool node_joined() const { return node_ != 0; }

  /// Checks and records a message that the actor `from` sends to the actor `to`.
  /// @throws Error protocol if messages of this kind are not allowed between the two actors, or if the message is an
  /// answer without a request
  void say(MessageKind kind, Actor from, Actor to);
  /// The next two functions record that one end monitors an actor of the other end. In `watch_driver`, the node
  /// monitors the driver's actor; in `watch_node`, the driver monitors an actor of the node.
  /// @throws Error protocol if the actor is unknown, or is monitored more than 1,000 times
  void watch_driver(Actor actor);
  void watch_node(Actor actor);
  /// The next two functions record the notice that a monitored actor has ended: the driver's actor (`end_of_driver`) or
  /// an actor of the node (`end_of_node`).
  /// @throws Error protocol if the actor was not monitored
  void end_of_driver(Actor actor);
  void end_of_node(Actor actor);

 private:
  /// An actor of the node: the node itself or one of its workers.
  struct Party {
    std::map<MessageKind, std::uint32_t> owed;  ///< number of requests that have no answer yet, by the kind of their
                                                ///< answer
    std::uint32_t watched = 0;
  };
  using Parties = std::map<Actor, Party>;

  void say_to_node(MessageKind kind, Actor from, Actor to);
  void say_to_driver(MessageKind kind, Actor from);
  static void watch(std::uint32_t& watched);
  /// Records that an actor of the node (the node itself or one of its workers) has joined.
  /// @throws Error protocol if the actor has already joined
  void come(Actor actor);
  /// Returns the record of an actor of the node.
  /// @throws Error protocol if the actor has not joined
  Party& party(Actor actor);

  Actor driver_ = 0;
  std::uint32_t driver_watched_ = 0;
  Actor node_ = 0;  ///< number of the node's actor; 0 before the node has joined
  std::uint32_t joins_owed_ = 0;
  Parties parties_;
};

}  // namespace troupe
