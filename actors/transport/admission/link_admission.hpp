#pragma once

#include <cstddef>
#include <span>

#include "actors/transport/admission/conversation.hpp"
#include "actors/transport/admission/wire.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// States whether this process is the driver or the node of a control connection.
enum class LinkEnd : std::uint8_t { driver, node };

/// Decides which frames CAF may receive and send on one control connection. At the start, it allows two handshakes of
/// the node and one of the driver. Then it allows heartbeats, notices about actors, and the messages that
/// `Conversation` allows. The check is necessary, because CAF 0.17 crashes on invalid frames, forwards messages to
/// other processes, and trusts any id. If a frame is not allowed, the connection is ended before CAF receives the
/// frame. This class works on bytes and uses no CAF type.
///
/// In each frame from the peer, this class replaces the id of the peer by another id (the stand-in), by which CAF then
/// knows the peer. The replacement is necessary for two reasons: processes in different containers may have equal ids,
/// and a peer may claim the id of another peer.
class LinkAdmission {
 public:
  /// @param own the id by which CAF knows this process
  /// @param stand_in the id by which CAF shall know the peer
  /// @param limits the maximum sizes of lists in messages of this run
  LinkAdmission(LinkEnd end, const wire::NodeId& own, const wire::NodeId& stand_in, const RunLimits& limits);

  /// Checks the header of a frame from the peer, before the frame's payload arrives.
  /// @throws Error protocol if the kind of the frame does not exist, or if the payload is too large for this kind
  void announced(const wire::Header& header) const;
  /// Checks a whole frame from the peer, and replaces the peer's id in `payload` by the stand-in. Returns false if the
  /// frame is allowed, but must not be passed on to CAF.
  /// @param now the current time, by which the number of heartbeats is limited
  /// @throws Error protocol if the frame is not allowed
  bool from_peer(const wire::Header& header, std::span<std::byte> payload, Clock::time_point now);
  /// Checks a whole frame that CAF sends to the peer, and replaces the stand-in in `payload` by the peer's id.
  /// @throws Error protocol if the frame is not allowed
  void to_peer(const wire::Header& header, std::span<std::byte> payload);
  const wire::NodeId& stand_in() const { return stand_in_; }

 private:
  /// The next three functions check a handshake of the peer, and replace the peer's id in the handshake by the
  /// stand-in. `hear_client` checks the handshake of a node, and `hear_server` the handshake of a driver. `shake_hands`
  /// calls one of these two functions.
  void shake_hands(const wire::Header& header, std::span<std::byte> payload);
  void hear_client(const wire::Header& header, std::span<std::byte> payload);
  void hear_server(const wire::Header& header, std::span<std::byte> payload);
  /// The next three functions check and record frames in either direction. `note_message` takes a message, `note_watch`
  /// a notice that an actor is monitored, and `note_end` a notice that an actor has ended.
  /// @param of_driver true if the driver sends the frame
  void note_message(const wire::Header& header, std::span<const std::byte> payload, bool of_driver);
  void note_watch(const wire::Header& header, bool of_driver);
  void note_end(const wire::Header& header, std::span<const std::byte> payload, bool of_driver);
  /// Counts a frame without content (a heartbeat, or a question to CAF's spawn server) that the peer has sent.
  /// @throws Error protocol if the peer has sent too many frames without content
  void count_idle(Clock::time_point now);
  bool peer_is_driver() const { return end_ == LinkEnd::node; }
  std::size_t largest_message() const;

  const LinkEnd end_;
  const wire::NodeId own_;
  const wire::NodeId stand_in_;
  const RunLimits limits_;
  wire::NodeId peer_{};  ///< the id that the peer claims
  int handshakes_ = 0;   ///< number of handshakes that the peer has sent
  Clock::time_point began_ = Clock::now();
  std::uint64_t idle_frames_ = 0;  ///< number of frames without content that the peer has sent
  Conversation conversation_;
};

}  // namespace troupe
