#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace troupe {

/// Returns the SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

/// Returns the XXH3-64 checksum of `bytes`. The checksum detects accidental damage, but not manipulation. Its
/// computation takes about as long as reading the bytes from memory.
/// @param seed a number that also changes the checksum
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);

/// Return bytes, or `number` as 8 bytes, as lower-case hexadecimal digits: two for each byte.
std::string hex(std::span<const unsigned char> bytes);
std::string hex(std::uint64_t number);

}  // namespace troupe
