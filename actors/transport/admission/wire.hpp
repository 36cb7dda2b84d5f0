#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The part of CAF 0.17's wire protocol that the admission must parse: frames of a header and a payload, in network byte
// order. Uses no CAF type.
namespace troupe::wire {

enum class Operation : std::uint8_t {
  server_handshake,
  client_handshake,
  direct_message,
  routed_message,
  monitor_message,
  down_message,
  heartbeat,
};

inline constexpr std::uint8_t kNamedReceiver = 1;
inline constexpr std::uint8_t kSelectConnection = 2;
/// The version in the server's handshake.
inline constexpr std::uint64_t kVersion = 3;
/// Operation data of a message that is neither a request nor an answer.
inline constexpr std::uint64_t kAsynchronous = 0x1000'0000'0000'0000;
/// The name of CAF's spawn server, which CAF asks first when it meets a new peer.
inline constexpr std::uint64_t kSpawnServer = 0x03dd'd66f'3376'adfb;
/// The kind of node id that follows.
inline constexpr std::uint64_t kDefaultNode = 0x3e9a'ab9b'ac79;

inline constexpr std::size_t kHeaderBytes = 32;

struct Header {
  std::uint8_t operation = 0;
  std::uint16_t padding = 0;
  std::uint8_t flags = 0;
  std::uint32_t payload = 0;  ///< size of the payload in bytes
  std::uint64_t data = 0;
  std::uint64_t source = 0;  ///< actor
  std::uint64_t target = 0;  ///< actor

  bool is(Operation what) const { return operation == static_cast<std::uint8_t>(what); }
  bool operator==(const Header&) const = default;
};

Header decode(std::span<const std::byte, kHeaderBytes> bytes);
std::array<std::byte, kHeaderBytes> encode(const Header& header);

/// The kind, process and host of an actor system.
using NodeId = std::array<std::byte, 32>;
/// Returns whether the id has the form of a system's own id.
bool well_formed(const NodeId& id);

/// Parses a payload. After the first error all further reads fail.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  /// Returns true if there was no error and nothing is left.
  bool complete() const { return good_ && rest_.empty(); }
  std::uint8_t byte();
  std::uint16_t number16();
  std::uint64_t number64();
  void skip(std::size_t bytes) { take(bytes); }
  std::span<const std::byte> take(std::size_t bytes);
  /// Reads the length of a text or list, in CAF's variable-length format.
  std::size_t count(std::size_t most);
  std::string_view text(std::size_t most);
  NodeId node();
  void fail() { good_ = false; }

 private:
  std::uint64_t number(std::size_t bytes);

  std::span<const std::byte> rest_;
  bool good_ = true;
};

}  // namespace troupe::wire
