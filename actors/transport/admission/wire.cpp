#include "actors/transport/admission/wire.hpp"

#include <algorithm>

namespace troupe::wire {
namespace {

/// The maximum number of bytes with which CAF encodes a length. Each byte contains seven bits of the length, so a
/// length of 32 bits needs at most five bytes.
constexpr int kLongestCount = 5;

template <class T>
void put(std::byte*& at, T value) {
  for (std::size_t i = sizeof value; i-- > 0;)
    *at++ = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
}

bool has_a_bit(std::span<const std::byte> bytes) {
  return std::any_of(bytes.begin(), bytes.end(), [](std::byte each) { return each != std::byte{0}; });
}

}  // namespace

Header decode(std::span<const std::byte, kHeaderBytes> bytes) {
  Reader reader(bytes);
  Header header;
  header.operation = reader.byte();
  header.padding = reader.number16();
  header.flags = reader.byte();
  header.payload = static_cast<std::uint32_t>(reader.number16()) << 16;
  header.payload |= reader.number16();
  header.data = reader.number64();
  header.source = reader.number64();
  header.target = reader.number64();
  return header;
}

std::array<std::byte, kHeaderBytes> encode(const Header& header) {
  std::array<std::byte, kHeaderBytes> bytes{};
  std::byte* at = bytes.data();
  put(at, header.operation);
  put(at, header.padding);
  put(at, header.flags);
  put(at, header.payload);
  put(at, header.data);
  put(at, header.source);
  put(at, header.target);
  return bytes;
}

bool well_formed(const NodeId& id) {
  const std::span<const std::byte> bytes(id);
  Reader reader(bytes);
  return reader.number64() == kDefaultNode && has_a_bit(bytes.subspan(8, 4)) && has_a_bit(bytes.subspan(12));
}

std::span<const std::byte> Reader::take(std::size_t bytes) {
  if (!good_ || bytes > rest_.size()) {
    good_ = false;
    return {};
  }
  const auto taken = rest_.first(bytes);
  rest_ = rest_.subspan(bytes);
  return taken;
}

std::uint64_t Reader::number(std::size_t bytes) {
  std::uint64_t value = 0;
  for (const std::byte each : take(bytes)) value = value << 8 | std::to_integer<std::uint64_t>(each);
  return value;
}

std::uint8_t Reader::byte() { return static_cast<std::uint8_t>(number(1)); }
std::uint16_t Reader::number16() { return static_cast<std::uint16_t>(number(2)); }
std::uint64_t Reader::number64() { return number(8); }

std::size_t Reader::count(std::size_t most) {
  std::uint64_t value = 0;
  for (int i = 0; i < kLongestCount && good_; ++i) {
    const std::uint8_t next = byte();
    value |= static_cast<std::uint64_t>(next & 0x7f) << (7 * i);
    if ((next & 0x80) != 0) continue;
    const bool shortest = i == 0 || next != 0;  // CAF always writes the shortest form
    if (!shortest || value > most) break;
    return good_ ? static_cast<std::size_t>(value) : 0;
  }
  fail();
  return 0;
}

std::string_view Reader::text(std::size_t most) {
  const auto bytes = take(count(most));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

NodeId Reader::node() {
  NodeId id{};
  const auto bytes = take(id.size());
  std::copy(bytes.begin(), bytes.end(), id.begin());
  return id;
}

}  // namespace troupe::wire
