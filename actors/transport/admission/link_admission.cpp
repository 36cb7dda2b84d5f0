#include "actors/transport/admission/link_admission.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "actors/transport/admission/refuse.hpp"

namespace troupe {
namespace {

using wire::Header;
using wire::NodeId;
using wire::Operation;
using wire::Reader;

constexpr std::string_view kApplication = "troupe";
constexpr std::string_view kTypePrefix = "@<>+";
constexpr std::string_view kEmptyMessage = "@<>";
constexpr std::size_t kLongestType = 64;

constexpr std::size_t kHandshakeBytes = 256;  ///< the maximum size in bytes of a driver's handshake
constexpr std::size_t kQuestionBytes = 256;   ///< the maximum size in bytes of CAF's own question to the spawn server
constexpr std::size_t kTwoNodes = 2 * sizeof(NodeId);
constexpr std::size_t kEndBytes = kTwoNodes + 1 + 8 + 2 + 1 + kEmptyMessage.size();
/// The maximum number of bytes in a message before its fields. These bytes are an empty list of actors to which CAF
/// would forward the message, and the name of the message's type.
constexpr std::size_t kEnvelopeBytes = 1 + 2 + 1 + kTypePrefix.size() + kLongestType;

/// A peer may send kIdleAtStart frames without content, plus kIdlePerSecond for each second since the connection began.
/// An honest peer sends two heartbeats per second.
constexpr std::uint64_t kIdleAtStart = 64;
constexpr std::uint64_t kIdlePerSecond = 4;

void demand(bool holds, const char* otherwise) {
  if (!holds) refuse(otherwise);
}

bool is_plain(const Header& header) { return header.padding == 0 && header.flags == 0; }

bool is_question_by_name(const Header& header) {
  return header.is(Operation::direct_message) && (header.flags & wire::kNamedReceiver) != 0;
}

/// Checks that `payload` contains the id `expected` at the offset `at`, and replaces it by the id `by`.
void replace(std::span<std::byte> payload, std::size_t at, const NodeId& expected, const NodeId& by) {
  demand(payload.size() >= at + expected.size(), "a notice of the wrong length");
  const auto place = payload.subspan(at, expected.size());
  demand(std::equal(place.begin(), place.end(), expected.begin()), "a notice names another node");
  std::copy(by.begin(), by.end(), place.begin());
}

}  // namespace

LinkAdmission::LinkAdmission(LinkEnd end, const NodeId& own, const NodeId& stand_in, const RunLimits& limits)
    : end_(end), own_(own), stand_in_(stand_in), limits_(limits) {}

std::size_t LinkAdmission::largest_message() const {
  if (peer_is_driver())
    return kEnvelopeBytes +
           std::max(largest_message_to(Recipient::node, limits_), largest_message_to(Recipient::worker, limits_));
  if (!conversation_.node_joined()) return kEnvelopeBytes + largest_fields(*kind_of("troupe::NodeJoin"), limits_);
  return kEnvelopeBytes + largest_message_to(Recipient::driver, limits_);
}

void LinkAdmission::announced(const Header& header) const {
  std::size_t most = 0;
  switch (static_cast<Operation>(header.operation)) {
    case Operation::server_handshake:
      most = kHandshakeBytes;
      break;
    case Operation::client_handshake:
      most = sizeof(NodeId);
      break;
    case Operation::direct_message:
      most = is_question_by_name(header) ? kQuestionBytes : largest_message();
      break;
    case Operation::monitor_message:
      most = kTwoNodes;
      break;
    case Operation::down_message:
      most = kEndBytes;
      break;
    case Operation::heartbeat:
      break;
    default:
      refuse("it sent an invalid frame (operation " + std::to_string(header.operation) + ")");
  }
  if (header.payload > most)
    refuse("it announced " + std::to_string(header.payload) + " bytes where at most " + std::to_string(most) +
           " are allowed");
}

bool LinkAdmission::from_peer(const Header& header, std::span<std::byte> payload, Clock::time_point now) {
  if (handshakes_ < (peer_is_driver() ? 1 : 2)) {
    shake_hands(header, payload);
    return true;
  }
  if (is_question_by_name(header)) {
    demand(header.flags == wire::kNamedReceiver && header.target == wire::kSpawnServer, "it asks for an actor by name");
    count_idle(now);
    return false;
  }
  switch (static_cast<Operation>(header.operation)) {
    case Operation::direct_message:
      note_message(header, payload, peer_is_driver());
      return true;
    case Operation::monitor_message:
      demand(payload.size() == kTwoNodes, "a notice of the wrong length");
      replace(payload, 0, peer_, stand_in_);
      replace(payload, sizeof(NodeId), own_, own_);
      note_watch(header, peer_is_driver());
      return true;
    case Operation::down_message:
      demand(payload.size() == kEndBytes, "a notice of the wrong length");
      replace(payload, 0, peer_, stand_in_);
      replace(payload, sizeof(NodeId), own_, own_);
      note_end(header, payload, peer_is_driver());
      return true;
    case Operation::heartbeat:
      demand(header == Header{.operation = header.operation}, "a heartbeat with content");
      count_idle(now);
      return true;
    default:
      refuse("it sent a frame that is not allowed at this point (operation " + std::to_string(header.operation) + ")");
  }
}

void LinkAdmission::to_peer(const Header& header, std::span<std::byte> payload) {
  const bool we_drive = end_ == LinkEnd::driver;
  switch (static_cast<Operation>(header.operation)) {
    case Operation::server_handshake: {
      Reader reader(payload);
      reader.node();
      for (std::size_t left = reader.count(payload.size()); left > 0 && reader.good(); --left)
        reader.text(payload.size());
      conversation_.begin(reader.number64());
      return;
    }
    case Operation::direct_message:
      if (!is_question_by_name(header)) note_message(header, payload, we_drive);
      return;
    case Operation::monitor_message:
      replace(payload, sizeof(NodeId), stand_in_, peer_);
      return note_watch(header, we_drive);
    case Operation::down_message:
      replace(payload, sizeof(NodeId), stand_in_, peer_);
      return note_end(header, payload, we_drive);
    case Operation::client_handshake:
    case Operation::heartbeat:
      return;
    default:
      refuse("a frame for another process");
  }
}

void LinkAdmission::shake_hands(const Header& header, std::span<std::byte> payload) {
  if (peer_is_driver())
    hear_server(header, payload);
  else
    hear_client(header, payload);
  ++handshakes_;
}

/// A node sends two handshakes. The second handshake selects this connection for use, and must contain the same id as
/// the first.
void LinkAdmission::hear_client(const Header& header, std::span<std::byte> payload) {
  Header expected{.operation = static_cast<std::uint8_t>(Operation::client_handshake), .payload = sizeof(NodeId)};
  if (handshakes_ > 0) expected.flags = wire::kSelectConnection;
  demand(header == expected, "its handshake is not that of a node");
  const NodeId id = Reader(payload).node();
  demand(handshakes_ == 0 ? wire::well_formed(id) : id == peer_, "its handshake contains an invalid id");
  peer_ = id;
  std::copy(stand_in_.begin(), stand_in_.end(), payload.begin());
}

void LinkAdmission::hear_server(const Header& header, std::span<std::byte> payload) {
  Header expected{.operation = static_cast<std::uint8_t>(Operation::server_handshake), .data = wire::kVersion};
  expected.payload = header.payload;
  demand(header == expected, "its handshake is not that of a driver");
  Reader reader(payload);
  peer_ = reader.node();
  const bool ours = reader.count(1) == 1 && reader.text(kApplication.size()) == kApplication;
  const std::uint64_t driver = reader.number64();
  reader.count(0);  // the list of the actor's message types, which must be empty
  demand(reader.complete() && ours && driver != 0 && wire::well_formed(peer_), "its handshake is not that of a driver");
  conversation_.begin(driver);
  std::copy(stand_in_.begin(), stand_in_.end(), payload.begin());
}

void LinkAdmission::note_message(const Header& header, std::span<const std::byte> payload, bool of_driver) {
  demand(is_plain(header) && header.data == wire::kAsynchronous, "a message with an unexpected header");
  Reader reader(payload);
  demand(reader.count(payload.size()) == 0, "a message that requests forwarding");
  demand(reader.number16() == 0, "a message of CAF's own types");
  const std::string_view type = reader.text(kTypePrefix.size() + kLongestType);
  const auto kind = type.starts_with(kTypePrefix) ? kind_of(type.substr(kTypePrefix.size())) : std::nullopt;
  if (!reader.good() || !kind) refuse("a message of an unknown type");
  demand((recipient_of(*kind) != Recipient::driver) == of_driver, "a message in the wrong direction");
  const std::size_t read = 1 + 2 + 1 + type.size();
  demand(well_formed(*kind, payload.subspan(read), limits_), "a malformed message");
  conversation_.say(*kind, header.source, header.target);
}

void LinkAdmission::note_watch(const Header& header, bool of_driver) {
  demand(is_plain(header) && header.data == 0 && header.source == 0, "a notice with an unexpected header");
  if (of_driver)
    conversation_.watch_node(header.target);
  else
    conversation_.watch_driver(header.target);
}

void LinkAdmission::note_end(const Header& header, std::span<const std::byte> payload, bool of_driver) {
  demand(is_plain(header) && header.data == 0 && header.target == 0, "a notice with an unexpected header");
  Reader reader(payload.subspan(kTwoNodes + 1 + 8));
  demand(reader.number16() == 0 && reader.text(kEmptyMessage.size()) == kEmptyMessage && reader.complete(),
         "a notice of an actor's end with extra content");
  if (of_driver)
    conversation_.end_of_driver(header.source);
  else
    conversation_.end_of_node(header.source);
}

void LinkAdmission::count_idle(Clock::time_point now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - began_).count();
  const std::uint64_t most =
      kIdleAtStart + kIdlePerSecond * static_cast<std::uint64_t>(std::max<std::int64_t>(0, seconds));
  demand(++idle_frames_ <= most, "it sends too many heartbeats");
}

}  // namespace troupe
