#pragma once

#include <cstddef>
#include <span>

#include "actors/transport/admission/conversation.hpp"
#include "actors/transport/admission/wire.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// The end of a control connection that this process has.
enum class LinkEnd : std::uint8_t { driver, node };

/// Decides frame by frame which data CAF may receive and send on one control connection: two handshakes of the node,
/// one of the driver, then Troupe's messages as the conversation allows, notices about actors, and heartbeats. CAF 0.17
/// crashes on invalid frames, forwards messages for other processes, and trusts any id. Therefore an invalid frame ends
/// the connection before CAF sees it. Plain code on bytes.
///
/// CAF knows the peer by a stand-in id instead of the peer's own id. Processes in containers may have equal ids, and a
/// peer may claim another's id.
class LinkAdmission {
 public:
  LinkAdmission(LinkEnd end, const wire::NodeId& own, const wire::NodeId& stand_in, const RunLimits& limits);

  /// Checks a frame whose header is complete.
  /// @throws Error protocol if no frame of this kind is that large
  void announced(const wire::Header& header) const;
  /// Checks a whole frame of the peer, and replaces ids in it in place. Returns false if CAF must not receive the
  /// frame.
  /// @throws Error protocol if the frame is not allowed
  bool from_peer(const wire::Header& header, std::span<std::byte> payload, Clock::time_point now);
  /// Checks a whole frame of this process's CAF, and replaces ids in it in place.
  /// @throws Error protocol if the frame is not allowed
  void to_peer(const wire::Header& header, std::span<std::byte> payload);
  const wire::NodeId& stand_in() const { return stand_in_; }

 private:
  void shake_hands(const wire::Header& header, std::span<std::byte> payload);
  void hear_client(const wire::Header& header, std::span<std::byte> payload);
  void hear_server(const wire::Header& header, std::span<std::byte> payload);
  void note_message(const wire::Header& header, std::span<const std::byte> payload, bool of_driver);
  void note_watch(const wire::Header& header, bool of_driver);
  void note_end(const wire::Header& header, std::span<const std::byte> payload, bool of_driver);
  void count_idle(Clock::time_point now);
  bool peer_is_driver() const { return end_ == LinkEnd::node; }
  std::size_t largest_message() const;

  const LinkEnd end_;
  const wire::NodeId own_;
  const wire::NodeId stand_in_;
  const RunLimits limits_;
  wire::NodeId peer_{};  ///< the id that the peer claims
  int handshakes_ = 0;   ///< number of received handshakes
  Clock::time_point began_ = Clock::now();
  std::uint64_t idle_frames_ = 0;  ///< number of received frames without content
  Conversation conversation_;
};

}  // namespace troupe
