#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "runtime/net/record.hpp"
#include "runtime/net/record_reader.hpp"

using Bytes = std::vector<std::byte>;

/// Of hexadecimal digits; blanks between them do not count.
inline Bytes from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Bytes bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ') continue;
    if (high >= 0) bytes.push_back(static_cast<std::byte>(high * 16 + digit(c)));
    high = high >= 0 ? -1 : digit(c);
  }
  return bytes;
}

template <std::size_t kBytes>
std::array<std::byte, kBytes> array_from_hex(std::string_view text) {
  std::array<std::byte, kBytes> bytes{};
  std::ranges::copy(from_hex(text), bytes.begin());
  return bytes;
}

inline std::size_t random_below(std::mt19937& random, std::size_t end) { return random() % end; }

inline Bytes random_bytes(std::mt19937& random, std::size_t size) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

inline troupe::net::TrafficSecret trial_secret() {
  std::array<std::byte, troupe::net::TrafficSecret::kBytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  return troupe::net::TrafficSecret(bytes);
}

inline Bytes& operator+=(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
  return bytes;
}
/// One behind the other; in a list, unlike a sum, they are also made in this order.
inline Bytes joined(std::initializer_list<Bytes> pieces) {
  Bytes all;
  for (const Bytes& piece : pieces) all += piece;
  return all;
}

/// Seals whatever it is told to, where `RecordWriter` keeps to the rules.
class TrialPeer {
 public:
  /// @param padding zeros behind the type
  Bytes record(int type, std::span<const std::byte> content, std::size_t padding = 0) {
    using namespace troupe::net;
    Bytes inner(content.begin(), content.end());
    inner.push_back(static_cast<std::byte>(type));
    inner.resize(inner.size() + padding);
    const auto last = static_cast<ContentType>(inner.back());
    inner.pop_back();
    Bytes made(inner.size() + kRecordOverhead);
    key_.seal(last, inner, made.data());
    return made;
  }
  Bytes data(std::span<const std::byte> content, std::size_t padding = 0) { return record(23, content, padding); }
  Bytes data(std::size_t bytes, std::size_t padding = 0) { return data(Bytes(bytes, std::byte{'x'}), padding); }
  Bytes alert(int level, int code) {
    return record(21, std::array{static_cast<std::byte>(level), static_cast<std::byte>(code)});
  }
  Bytes key_update(bool renew_yours) {
    auto message = troupe::net::kKeyUpdate;
    message.back() = static_cast<std::byte>(renew_yours);
    Bytes made = record(22, message);
    key_.renew();
    return made;
  }

 private:
  troupe::net::RecordKey key_{trial_secret()};
};

/// As much as there is room for; how much that was.
inline std::size_t receive(troupe::net::RecordReader& reader, std::span<const std::byte> bytes) {
  const auto room = reader.room();
  const std::size_t taken = std::min(room.size(), bytes.size());
  std::copy_n(bytes.begin(), taken, room.begin());
  reader.received(taken);
  return taken;
}

/// Hands it all of the bytes and returns what is read, in pieces of at most `most`. @throws Error as `read`
inline Bytes read_all(troupe::net::RecordReader& reader, std::span<const std::byte> bytes, std::size_t most = 100'000) {
  Bytes all;
  Bytes piece(most);
  for (;;) {
    const std::size_t taken = receive(reader, bytes);
    bytes = bytes.subspan(taken);
    std::size_t got = 0;
    do {
      got = reader.read(piece);
      all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
    } while (got > 0);
    if (taken == 0) return all;
  }
}
