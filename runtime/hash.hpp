#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace troupe {

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace troupe
