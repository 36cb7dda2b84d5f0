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

// The hello: the first message on every connection to a gate. It is checked before any other parser reads bytes of the
// connection.
namespace troupe {

inline constexpr std::uint32_t kNetworkProtocol = 1;

/// A secret that binds data connections to one membership of one run. The driver sends the token to the nodes over
/// their control connections.
using Token = std::array<std::byte, 16>;

/// The use of a connection after the hello.
enum class Purpose : std::uint32_t {
  control = 1,  ///< a node joins: CAF's messages follow
  data,         ///< segments of slabs follow
  status,       ///< the listener sends one text and closes the connection
};

/// The content of a hello. Encoded in a fixed size, little-endian.
struct Hello {
  std::uint32_t protocol = kNetworkProtocol;
  Purpose purpose = Purpose::control;
  std::array<char, 24> version = {};  ///< version of the library, as text
  std::uint64_t run = 0;              ///< the run; used for data connections only, like all later members
  std::uint64_t generation = 0;
  Token token = {};
  std::int32_t node = -1;    ///< number of the sending node
  std::uint32_t stream = 0;  ///< number of this connection among those of the sending node
};

inline constexpr std::size_t kHelloBytes = 96;

/// Returns the encoded hello.
std::array<std::byte, kHelloBytes> encode(const Hello& hello);
/// Decodes a hello. Returns none if the bytes are malformed. If the protocol's number differs from `kNetworkProtocol`,
/// only that number is decoded, and the other members have their defaults.
std::optional<Hello> decode_hello(std::span<const std::byte, kHelloBytes> bytes);

/// Makes a hello with this library's protocol and version.
Hello make_hello(Purpose purpose);
/// Returns why this library cannot serve a connection with this hello: its protocol or library version differs. Returns
/// an empty text if it can.
std::string mismatch(const Hello& hello);

/// The decision about a connection, made from its hello.
struct Verdict {
  Verdict() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  Verdict(std::string why, bool not_now = false) : refusal(std::move(why)), for_now(not_now) {}
  Verdict(const char* why) : refusal(why) {}
  // NOLINTEND(google-explicit-constructor)

  std::string refusal;                     ///< the reason for a refusal; empty: accepted
  bool for_now = false;                    ///< whether the refusal is temporary: the same hello may be accepted later
  std::optional<std::string> status = {};  ///< if set and accepted: text to send before the connection is closed
};

/// Encodes the answer to a hello: a byte for the decision, the length of the refusal (16 bits) and its text. If the
/// caller is accepted and the verdict has a status text, the encoded status text follows.
std::vector<std::byte> encode_answer(const Verdict& verdict);
/// Encodes a status text: its length (32 bits) and its bytes. The receiver accepts at most 1 MiB.
std::vector<std::byte> encode_status(const std::string& text);
/// Receives a status text. @throws Error protocol if the text is longer than 1 MiB; timeout; worker_lost
std::string hear_status(ByteStream& stream, const Deadline& deadline);
/// Sends a hello, and returns the peer's answer. @throws Error protocol if the answer is malformed; timeout;
/// worker_lost
Verdict introduce(ByteStream& stream, const Hello& hello, const Deadline& deadline);
/// Sends a hello, and waits for its acceptance. @throws Error protocol with the reason, if the hello is refused;
/// otherwise as `introduce`
void say_hello(ByteStream& stream, const Hello& hello, const Deadline& deadline);

}  // namespace troupe
