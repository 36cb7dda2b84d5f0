#pragma once

#include <cstddef>
#include <span>

#include "actors/transport/admission/conversation.hpp"
#include "actors/transport/admission/wire.hpp"
#include "runtime/clock.hpp"

namespace troupe {

/// Which end of a control connection is ours.
enum class LinkEnd : std::uint8_t { driver, node };

/// What CAF may hear and say on one control connection, frame by frame: two handshakes of the node, one of the driver,
/// then messages of ours as the conversation has them, notices about their actors, and heartbeats. CAF 0.17 falls over
/// frames that no peer of its own sends, forwards what is for others, and believes any id: what does not fit ends the
/// connection before CAF sees it. Plain code over bytes.
///
/// CAF knows the peer by a stand-in for the id that the peer gives itself: ids of processes in containers are alike,
/// and a peer may claim another's.
class LinkAdmission {
 public:
  LinkAdmission(LinkEnd end, const wire::NodeId& own, const wire::NodeId& stand_in, const RunLimits& limits);

  /// A frame begins. @throws Error protocol where no frame of the kind is that large.
  void announced(const wire::Header& header) const;
  /// A whole frame of the peer; ids in it are changed in place. False where CAF is not to hear it. @throws Error
  /// protocol
  bool from_peer(const wire::Header& header, std::span<std::byte> payload, Clock::time_point now);
  /// A whole frame of our CAF; ids in it are changed in place. @throws Error protocol
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
  wire::NodeId peer_{};  ///< as it calls itself
  int handshakes_ = 0;   ///< heard
  Clock::time_point began_ = Clock::now();
  std::uint64_t idle_frames_ = 0;  ///< heard that carry nothing
  Conversation conversation_;
};

}  // namespace troupe
