#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace troupe::net {

/// Reads the numbers and arrays of a message of `kSize` bytes, one after the other. Numbers are little-endian. The
/// caller must not read past the end of the message.
template <std::size_t kSize>
class Reader {
 public:
  explicit Reader(std::span<const std::byte, kSize> bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value |=
          static_cast<std::make_unsigned_t<T>>(std::to_integer<std::make_unsigned_t<T>>(bytes_[at_ + i]) << (8 * i));
    at_ += sizeof(T);
    return static_cast<T>(value);
  }
  template <class T, std::size_t kCount>
  void copy(std::array<T, kCount>& into) {
    for (T& byte : into) byte = static_cast<T>(bytes_[at_++]);
  }
  bool rest_is_zero() const {
    for (std::size_t i = at_; i < kSize; ++i)
      if (bytes_[i] != std::byte{0}) return false;
    return true;
  }

 private:
  std::span<const std::byte, kSize> bytes_;
  std::size_t at_ = 0;
};

/// Writes a message of `kSize` bytes, in the format that `Reader` reads. Bytes that are not written are zero.
template <std::size_t kSize>
class Writer {
 public:
  template <class T>
  void number(T value) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_[at_++] = static_cast<std::byte>((bits >> (8 * i)) & 0xff);
  }
  template <class T, std::size_t kCount>
  void copy(const std::array<T, kCount>& from) {
    for (const T byte : from) bytes_[at_++] = static_cast<std::byte>(byte);
  }
  const std::array<std::byte, kSize>& bytes() const { return bytes_; }

 private:
  std::array<std::byte, kSize> bytes_ = {};
  std::size_t at_ = 0;
};

}  // namespace troupe::net
