#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace troupe {

/// Returns the SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

/// Returns the XXH3-64 checksum: detects accidental damage at the speed of memory. Not secure against manipulation.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// Returns 16 lower-case hexadecimal digits.
std::string hex(std::uint64_t number);

}  // namespace troupe
