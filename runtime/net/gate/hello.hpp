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

// The first message on every connection between nodes, read before any other parser sees a byte.
namespace troupe {

inline constexpr std::uint32_t kNetworkProtocol = 1;

/// Binds a connection to one membership of one run. The driver sends it over the control connection.
using Token = std::array<std::byte, 16>;

enum class Purpose : std::uint32_t {
  control = 1,  ///< a node joins: CAF's messages follow
  data,         ///< segments of slabs follow
  status,       ///< the listener sends one text and closes the connection
};

/// The first message of a connection: fixed size, little-endian, no pointers.
struct Hello {
  std::uint32_t protocol = kNetworkProtocol;
  Purpose purpose = Purpose::control;
  std::array<char, 24> version = {};  ///< version of the library, as text
  std::uint64_t run = 0;              ///< the run (data connections only, as are `generation` and `token`)
  std::uint64_t generation = 0;
  Token token = {};
  std::int32_t node = -1;    ///< data: the sender's number
  std::uint32_t stream = 0;  ///< data: which of its connections
};

inline constexpr std::size_t kHelloBytes = 96;

std::array<std::byte, kHelloBytes> encode(const Hello& hello);
/// Returns none if the bytes are not a hello of any protocol. If the protocol differs, only its number is read.
std::optional<Hello> decode_hello(std::span<const std::byte, kHelloBytes> bytes);

/// Makes a hello of this library.
Hello make_hello(Purpose purpose);
/// Returns why this library cannot serve a hello (another protocol or library version); empty if it can.
std::string mismatch(const Hello& hello);

/// The decision about a hello.
struct Verdict {
  Verdict() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  Verdict(std::string why, bool not_now = false) : refusal(std::move(why)), for_now(not_now) {}
  Verdict(const char* why) : refusal(why) {}
  // NOLINTEND(google-explicit-constructor)

  std::string refusal;                     ///< the reason for a refusal; empty: accepted
  bool for_now = false;                    ///< the refusal is temporary: the same hello may be accepted later
  std::optional<std::string> status = {};  ///< text to send before the connection is closed
};

/// Encodes the answer: a status byte, a length (16 bits) and the reason of a refusal. A requested status text follows.
std::vector<std::byte> encode_answer(const Verdict& verdict);
/// Encodes the status text that follows an accepted hello: a length (32 bits) and a text of at most 1 MiB.
std::vector<std::byte> encode_status(const std::string& text);
/// Reads that text. @throws Error protocol if the text is too long; timeout, worker_lost.
std::string hear_status(ByteStream& stream, const Deadline& deadline);
/// Sends a hello and waits for the answer. @throws Error protocol; timeout, worker_lost.
Verdict introduce(ByteStream& stream, const Hello& hello, const Deadline& deadline);
/// The same, but also throws if the hello is refused. @throws Error protocol with the reason
void say_hello(ByteStream& stream, const Hello& hello, const Deadline& deadline);

}  // namespace troupe
