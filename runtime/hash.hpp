#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace troupe {

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

/// XXH3-64: finds damage by accident at the speed of memory, and hides nothing from who means it.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// 16 lower-case hexadecimal digits.
std::string hex(std::uint64_t number);

}  // namespace troupe
