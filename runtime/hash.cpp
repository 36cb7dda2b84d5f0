#include "runtime/hash.hpp"

#include <openssl/sha.h>

#include <array>

#define XXH_INLINE_ALL  // compiles xxHash into this file, so that no library is linked
#include <xxhash.h>

namespace troupe {

std::string hex(std::span<const unsigned char> bytes) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return hex(digest);
}

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hex(std::uint64_t number) {
  std::array<unsigned char, sizeof(number)> bytes{};
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, number >>= 8) *byte = number & 0xFF;
  return hex(bytes);
}

}  // namespace troupe
