#include "runtime/net/gate/hello.hpp"

#include <algorithm>
#include <string_view>

#include "runtime/net/little_endian.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"
#include "troupe/version.hpp"

namespace troupe {
namespace {

constexpr std::uint64_t kHelloMagic = 0x0a0d'6570'756f'7274;  // "troupe\r\n"
constexpr std::size_t kLongestRefusal = 1024;
constexpr std::size_t kLongestStatus = std::size_t{1} << 20;
constexpr std::byte kAccepted{1};
constexpr std::byte kRefused{2};
constexpr std::byte kRefusedForNow{3};

bool is_ascii_letter(char c) { return c >= ' ' && c <= '~'; }

/// Returns whether the array contains at least one printable ASCII character, followed only by zeros.
bool well_formed(const std::array<char, 24>& text) {
  const auto end = std::find(text.begin(), text.end(), '\0');
  return end != text.begin() && std::all_of(text.begin(), end, is_ascii_letter) &&
         std::all_of(end, text.end(), [](char c) { return c == '\0'; });
}

std::string text_of(const std::array<char, 24>& text) {
  return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

}  // namespace

std::array<std::byte, kHelloBytes> encode(const Hello& hello) {
  net::Writer<kHelloBytes> writer;
  writer.number(kHelloMagic);
  writer.number(hello.protocol);
  writer.number(static_cast<std::uint32_t>(hello.purpose));
  writer.copy(hello.version);
  writer.number(hello.run);
  writer.number(hello.generation);
  writer.copy(hello.token);
  writer.number(hello.node);
  writer.number(hello.stream);
  return writer.bytes();
}

std::optional<Hello> decode_hello(std::span<const std::byte, kHelloBytes> bytes) {
  net::Reader<kHelloBytes> reader(bytes);
  if (reader.number<std::uint64_t>() != kHelloMagic) return std::nullopt;
  Hello hello;
  hello.protocol = reader.number<std::uint32_t>();
  if (hello.protocol != kNetworkProtocol) return hello;
  const auto purpose = reader.number<std::uint32_t>();
  if (purpose < static_cast<std::uint32_t>(Purpose::control) ||
      purpose > static_cast<std::uint32_t>(Purpose::hand_over))
    return std::nullopt;
  hello.purpose = static_cast<Purpose>(purpose);
  reader.copy(hello.version);
  if (!well_formed(hello.version)) return std::nullopt;
  hello.run = reader.number<std::uint64_t>();
  hello.generation = reader.number<std::uint64_t>();
  reader.copy(hello.token);
  hello.node = reader.number<std::int32_t>();
  hello.stream = reader.number<std::uint32_t>();
  if (!reader.rest_is_zero()) return std::nullopt;
  return hello;
}

Hello make_hello(Purpose purpose) {
  constexpr std::string_view kVersion = TROUPE_VERSION;
  Hello hello;
  hello.purpose = purpose;
  static_assert(kVersion.size() < std::tuple_size_v<decltype(hello.version)>);
  std::copy(kVersion.begin(), kVersion.end(), hello.version.begin());
  return hello;
}

std::string mismatch(const Hello& hello) {
  if (hello.protocol != kNetworkProtocol)
    return "the connecting side uses protocol " + std::to_string(hello.protocol) + ", the listening side protocol " +
           std::to_string(kNetworkProtocol) + ": run the same Troupe version on all machines";
  if (hello.version != make_hello(hello.purpose).version)
    return "the connecting side runs Troupe " + text_of(hello.version) +
           ", the listening side " TROUPE_VERSION ": run the same version on all machines";
  return {};
}

std::vector<std::byte> encode_answer(const Verdict& verdict) {
  const std::string text = verdict.refusal.substr(0, kLongestRefusal);
  const std::byte kind = text.empty() ? kAccepted : verdict.for_now ? kRefusedForNow : kRefused;
  std::vector<std::byte> answer{kind, static_cast<std::byte>(text.size() & 0xff),
                                static_cast<std::byte>(text.size() >> 8)};
  for (const char c : text) answer.push_back(static_cast<std::byte>(c));
  if (!text.empty() || !verdict.status) return answer;
  const auto status = encode_status(*verdict.status);
  answer.insert(answer.end(), status.begin(), status.end());
  return answer;
}

namespace {

Verdict hear_answer(ByteStream& stream, const Deadline& deadline) {
  std::array<std::byte, 3> head = {};
  stream.read_all(head, deadline);
  const std::size_t size = std::to_integer<std::size_t>(head[1]) | std::to_integer<std::size_t>(head[2]) << 8;
  if (head[0] == kAccepted && size == 0) return {};
  if ((head[0] != kRefused && head[0] != kRefusedForNow) || size == 0 || size > kLongestRefusal)
    throw Error(ErrorCode::protocol, "the answer to a hello is malformed");
  std::string text(size, ' ');
  stream.read_all(std::as_writable_bytes(std::span(text)), deadline);
  return {"refused: " + printable(text), head[0] == kRefusedForNow};
}

}  // namespace

std::vector<std::byte> encode_status(const std::string& text) {
  net::Writer<sizeof(std::uint32_t)> length;
  length.number(static_cast<std::uint32_t>(text.size()));
  std::vector<std::byte> status(length.bytes().begin(), length.bytes().end());
  for (const char c : text) status.push_back(static_cast<std::byte>(c));
  return status;
}

std::string hear_status(ByteStream& stream, const Deadline& deadline) {
  std::array<std::byte, sizeof(std::uint32_t)> head = {};
  stream.read_all(head, deadline);
  const auto length = net::Reader<sizeof(std::uint32_t)>(head).number<std::uint32_t>();
  if (length > kLongestStatus) throw Error(ErrorCode::protocol, "the driver's answer is too long");
  std::string text(length, '\0');
  stream.read_all(std::as_writable_bytes(std::span(text)), deadline);
  return text;
}

Verdict introduce(ByteStream& stream, const Hello& hello, const Deadline& deadline) {
  try {
    stream.write_all(encode(hello), deadline);
  } catch (const Error& error) {
    // If the peer has closed the connection, it may have sent a refusal before. The call below reads the refusal.
    if (error.code() != ErrorCode::worker_lost) throw;
  }
  return hear_answer(stream, deadline);
}

void say_hello(ByteStream& stream, const Hello& hello, const Deadline& deadline) {
  const Verdict verdict = introduce(stream, hello, deadline);
  if (!verdict.refusal.empty()) throw Error(ErrorCode::protocol, verdict.refusal);
}

}  // namespace troupe
