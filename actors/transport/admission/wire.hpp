#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The part of the wire protocol of CAF 0.17 that `LinkAdmission` must parse. A frame consists of a header of fixed size
// and a payload; both are in network byte order. This file uses no CAF type.
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
/// The version of CAF's protocol, which is in the field `data` of the driver's handshake.
inline constexpr std::uint64_t kVersion = 3;
/// The value of the field `data` of a message that, for CAF, is neither a request nor an answer. All of Troupe's
/// messages have this value.
inline constexpr std::uint64_t kAsynchronous = 0x1000'0000'0000'0000;
/// The encoded name of CAF's spawn server. CAF sends a question to this actor when it connects to a new peer.
inline constexpr std::uint64_t kSpawnServer = 0x03dd'd66f'3376'adfb;
/// The first 8 bytes of a NodeId, which state that it is an id of CAF's default kind.
inline constexpr std::uint64_t kDefaultNode = 0x3e9a'ab9b'ac79;

inline constexpr std::size_t kHeaderBytes = 32;

struct Header {
  std::uint8_t operation = 0;
  std::uint16_t padding = 0;
  std::uint8_t flags = 0;
  std::uint32_t payload = 0;  ///< size of the payload in bytes
  std::uint64_t data = 0;
  std::uint64_t source = 0;  ///< number of the sending actor; 0: none
  std::uint64_t target = 0;  ///< number of the receiving actor; 0: none

  bool is(Operation what) const { return operation == static_cast<std::uint8_t>(what); }
  bool operator==(const Header&) const = default;
};

Header decode(std::span<const std::byte, kHeaderBytes> bytes);
std::array<std::byte, kHeaderBytes> encode(const Header& header);

/// The id by which CAF identifies a process. It contains the kind of the id, the process and the host.
using NodeId = std::array<std::byte, 32>;
/// Returns true if `id` has the form of an id that CAF gives to the process in which CAF runs.
bool well_formed(const NodeId& id);

/// Reads values from a payload, one after the other. If a value is not valid, the Reader fails: all further reads
/// return 0 or empty values, and `good` returns false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  /// Returns true if there was no error and all bytes were read.
  bool complete() const { return good_ && rest_.empty(); }
  std::uint8_t byte();
  std::uint16_t number16();
  std::uint64_t number64();
  void skip(std::size_t bytes) { take(bytes); }
  std::span<const std::byte> take(std::size_t bytes);
  /// Reads and returns the length of a text or list, which CAF writes with a variable number of bytes. If the length is
  /// above `most`, the Reader fails.
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
