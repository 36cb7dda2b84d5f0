#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/net/byte_stream.hpp"

// This file declares the hello: the first message on every connection to a gate. The gate checks the hello before any
// other code parses bytes of the connection.
namespace troupe {

inline constexpr std::uint32_t kNetworkProtocol = 1;

/// A secret that proves that a data connection belongs to the current membership of a run. The driver sends the token
/// to the nodes over their control connections, and each data connection begins with a hello that contains the token.
using Token = std::array<std::byte, 16>;

/// The purpose for which a connection is used after the hello.
enum class Purpose : std::uint32_t {
  control = 1,  ///< a node joins: CAF's messages follow
  data,         ///< segments of slabs follow
  status,       ///< the gate sends one text about the status and closes the connection
  leave,        ///< the node that has joined with the same token leaves the run; answered like `status`
  hand_over,    ///< like `control`, by a node that wants to leave, and joins only if its copies of the state are needed
};

/// The content of a hello. The encoded hello has a fixed size; its numbers are little-endian.
struct Hello {
  std::uint32_t protocol = kNetworkProtocol;
  Purpose purpose = Purpose::control;
  std::array<char, 24> version = {};  ///< version of the library, as text
  std::uint64_t run = 0;  ///< number of the run. This field and all later fields are set only for data connections
  std::uint64_t generation = 0;
  Token token = {};
  std::int32_t node = -1;    ///< number of the sending node
  std::uint32_t stream = 0;  ///< number of this connection among the connections of the sending node
};

inline constexpr std::size_t kHelloBytes = 96;

/// Returns the encoded hello.
std::array<std::byte, kHelloBytes> encode(const Hello& hello);
/// Decodes a hello. Returns none if the bytes are malformed. If the protocol's number in the bytes differs from
/// `kNetworkProtocol`, decodes only this number, and leaves the defaults in the other fields.
std::optional<Hello> decode_hello(std::span<const std::byte, kHelloBytes> bytes);

/// Returns a hello with the given purpose, and with this library's protocol and version.
Hello make_hello(Purpose purpose);
/// Checks whether this library can serve a connection with this hello. If the hello's protocol or library version
/// differs from this library's, returns the reason as a text; otherwise returns an empty text.
std::string mismatch(const Hello& hello);

/// The decision about a connection: to accept or to refuse it. The decision is made from the connection's hello.
struct Verdict {
  Verdict() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  Verdict(std::string why, bool not_now = false) : refusal(std::move(why)), for_now(not_now) {}
  Verdict(const char* why) : refusal(why) {}
  // NOLINTEND(google-explicit-constructor)

  std::string refusal;   ///< the reason for a refusal; empty: accepted
  bool for_now = false;  ///< whether the refusal is temporary: the same hello may be accepted later
  /// If set and the connection is accepted: a text that the gate sends before it closes the connection.
  std::optional<std::string> status = {};
};

/// Encodes the answer to a hello: one byte for the decision, the length of the refusal's text (16 bits), and the text.
/// If the verdict accepts the caller and has a status text, the encoded status text follows.
std::vector<std::byte> encode_answer(const Verdict& verdict);
/// Encodes a status text: its length in bytes (32 bits), followed by the bytes. The receiver accepts at most 1 MiB.
std::vector<std::byte> encode_status(const std::string& text);
/// Receives a status text. @throws Error protocol if the text is longer than 1 MiB; timeout; worker_lost
std::string hear_status(ByteStream& stream, const Deadline& deadline);
/// Sends a hello, receives the peer's answer, and returns the answer as a verdict. @throws Error protocol if the answer
/// is malformed; timeout; worker_lost
Verdict introduce(ByteStream& stream, const Hello& hello, const Deadline& deadline);
/// Sends a hello, and waits until the peer has accepted the connection.
/// @throws Error protocol with the reason, if the peer refuses the connection; otherwise as `introduce`
void say_hello(ByteStream& stream, const Hello& hello, const Deadline& deadline);

}  // namespace troupe
