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

// The first thing said on every connection between nodes, before any other parser sees a byte.
namespace troupe {

inline constexpr std::uint32_t kNetworkProtocol = 1;

/// Binds a connection to one membership of one run; told by the driver over the control connection.
using Token = std::array<std::byte, 16>;

enum class Purpose : std::uint32_t {
  control = 1,  ///< a node joins: CAF's messages follow
  data,         ///< segments of slabs follow
  status,       ///< one text follows from the listener, and the end
};

/// Fixed size, little-endian, no pointers.
struct Hello {
  std::uint32_t protocol = kNetworkProtocol;
  Purpose purpose = Purpose::control;
  std::array<char, 24> version = {};  ///< of the library, as text
  std::uint64_t run = 0;              ///< data: as the token
  std::uint64_t generation = 0;
  Token token = {};
  std::int32_t node = -1;    ///< data: the sender's number
  std::uint32_t stream = 0;  ///< data: which of its connections
};

inline constexpr std::size_t kHelloBytes = 96;

std::array<std::byte, kHelloBytes> encode(const Hello& hello);
/// None when the bytes are no hello of ours, whatever its protocol. Of another protocol only that number is read.
std::optional<Hello> decode_hello(std::span<const std::byte, kHelloBytes> bytes);

/// A hello of this library for a purpose.
Hello make_hello(Purpose purpose);
/// Why a hello cannot be served by this library (another protocol or library version); empty when it can.
std::string mismatch(const Hello& hello);

/// What becomes of who said a hello.
struct Verdict {
  Verdict() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  Verdict(std::string why, bool not_now = false) : refusal(std::move(why)), for_now(not_now) {}
  Verdict(const char* why) : refusal(why) {}
  // NOLINTEND(google-explicit-constructor)

  std::string refusal;                     ///< why it is refused; empty: it is not
  bool for_now = false;                    ///< the same hello may be taken later
  std::optional<std::string> status = {};  ///< all that it gets, before the connection ends
};

/// The answer: a status byte, then a length (16 bits) and a text that says why not; what was asked for as status comes
/// behind it.
std::vector<std::byte> encode_answer(const Verdict& verdict);
/// What follows an accepted hello for status: a length (32 bits) and a text, of at most 1 MiB.
std::vector<std::byte> encode_status(const std::string& text);
/// Hears that text. @throws Error protocol when it is longer; timeout, worker_lost.
std::string hear_status(ByteStream& stream, const Deadline& deadline);
/// Says hello and waits for the answer. @throws Error protocol; timeout, worker_lost.
Verdict introduce(ByteStream& stream, const Hello& hello, const Deadline& deadline);
/// The same. @throws Error protocol with the refusal's text, too
void say_hello(ByteStream& stream, const Hello& hello, const Deadline& deadline);

}  // namespace troupe
