#pragma once

#include <cstddef>
#include <span>

#include "actors/transport/admission/conversation.hpp"
#include "actors/transport/admission/wire.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// States whether this process is the driver or the node of a control connection.
enum class LinkEnd : std::uint8_t { driver, node };

/// Decides which frames CAF may receive and send on one control connection. Allowed are two handshakes of the node and
/// one of the driver. Then follow Troupe's messages, as `Conversation` allows them, notices about actors, and
/// heartbeats. CAF 0.17 crashes on invalid frames, forwards messages to other processes, and trusts any id. Therefore
/// the connection is ended before CAF receives an invalid frame. This class works on bytes and uses no CAF type.
///
/// In each frame, this class replaces the peer's own id by a stand-in id, under which CAF then knows the peer. This is
/// necessary because processes in different containers may have equal ids, and because a peer may claim another peer's
/// id.
class LinkAdmission {
 public:
  /// @param own the id of this process
  /// @param stand_in the id by which CAF shall know the peer
  /// @param limits the maximum sizes of lists in messages of this run
  LinkAdmission(LinkEnd end, const wire::NodeId& own, const wire::NodeId& stand_in, const RunLimits& limits);

  /// Checks the header of a frame from the peer, before the payload arrives.
  /// @throws Error protocol if frames of this kind do not exist, or may not be that large
  void announced(const wire::Header& header) const;
  /// Checks a whole frame from the peer, and replaces ids in it in place. Returns false if the frame is allowed but CAF
  /// must not receive it.
  /// @param now the current time, by which the number of heartbeats is limited
  /// @throws Error protocol if the frame is not allowed
  bool from_peer(const wire::Header& header, std::span<std::byte> payload, Clock::time_point now);
  /// Checks a whole frame that CAF sends to the peer, and replaces ids in it in place.
  /// @throws Error protocol if the frame is not allowed
  void to_peer(const wire::Header& header, std::span<std::byte> payload);
  const wire::NodeId& stand_in() const { return stand_in_; }

 private:
  /// The next three functions check a handshake of the peer, and replace the peer's id in it. `hear_client` checks a
  /// node's handshake, and `hear_server` checks a driver's.
  void shake_hands(const wire::Header& header, std::span<std::byte> payload);
  void hear_client(const wire::Header& header, std::span<std::byte> payload);
  void hear_server(const wire::Header& header, std::span<std::byte> payload);
  /// The next three functions check and record a message, a notice that an actor is monitored, and a notice that an
  /// actor has ended.
  /// @param of_driver true if the driver sends the frame
  void note_message(const wire::Header& header, std::span<const std::byte> payload, bool of_driver);
  void note_watch(const wire::Header& header, bool of_driver);
  void note_end(const wire::Header& header, std::span<const std::byte> payload, bool of_driver);
  /// Counts a frame without content.
  /// @throws Error protocol if the peer has sent too many of them
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
