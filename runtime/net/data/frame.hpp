#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/transport.hpp"

namespace troupe {

/// The header that precedes the bytes of each segment on a data connection. Encoded in a fixed size, little-endian.
struct FrameHeader {
  WindowId window = 0;
  std::uint32_t segment = 0;
  std::uint64_t ticket = 0;
  std::uint64_t bytes = 0;  ///< number of bytes that follow

  bool operator==(const FrameHeader&) const = default;
};

inline constexpr std::size_t kFrameHeaderBytes = 32;

/// Returns the encoded header.
std::array<std::byte, kFrameHeaderBytes> encode(const FrameHeader& header);
/// Decodes a header. Returns none if the bytes do not start with the header's magic number. Does not check whether the
/// window takes such a segment, which `WindowTable::claim` does.
std::optional<FrameHeader> decode_frame_header(std::span<const std::byte, kFrameHeaderBytes> bytes);

}  // namespace troupe
