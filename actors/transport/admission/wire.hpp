#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// What CAF 0.17 says on a connection, as far as it must be understood to be let through: frames of a header and a
// payload, everything in network order. No CAF type.
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
/// Of the server's handshake.
inline constexpr std::uint64_t kVersion = 3;
/// Operation data of a message that asks for no answer and is none.
inline constexpr std::uint64_t kAsynchronous = 0x1000'0000'0000'0000;
/// CAF's spawn server, by name: the first thing that it asks of a new peer.
inline constexpr std::uint64_t kSpawnServer = 0x03dd'd66f'3376'adfb;
/// Which kind of node id there follows.
inline constexpr std::uint64_t kDefaultNode = 0x3e9a'ab9b'ac79;

inline constexpr std::size_t kHeaderBytes = 32;

struct Header {
  std::uint8_t operation = 0;
  std::uint16_t padding = 0;
  std::uint8_t flags = 0;
  std::uint32_t payload = 0;  ///< bytes that follow
  std::uint64_t data = 0;
  std::uint64_t source = 0;  ///< actor
  std::uint64_t target = 0;  ///< actor

  bool is(Operation what) const { return operation == static_cast<std::uint8_t>(what); }
  bool operator==(const Header&) const = default;
};

Header decode(std::span<const std::byte, kHeaderBytes> bytes);
std::array<std::byte, kHeaderBytes> encode(const Header& header);

/// Kind, process and host of an actor system.
using NodeId = std::array<std::byte, 32>;
/// Whether it has the form of one that a system gives itself.
bool well_formed(const NodeId& id);

/// Takes a payload apart. After the first thing that does not fit, nothing does.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  /// Everything fitted, and nothing is left.
  bool complete() const { return good_ && rest_.empty(); }
  std::uint8_t byte();
  std::uint16_t number16();
  std::uint64_t number64();
  void skip(std::size_t bytes) { take(bytes); }
  std::span<const std::byte> take(std::size_t bytes);
  /// Of a text or a list, in CAF's variable length.
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
