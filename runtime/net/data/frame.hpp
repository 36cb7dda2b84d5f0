#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/transport.hpp"

namespace troupe {

/// The header of a frame. On a data connection, a frame is a header, followed by the bytes of one segment. The encoded
/// header has a fixed size; its numbers are little-endian.
struct FrameHeader {
  WindowId window = 0;
  std::uint32_t segment = 0;
  std::uint64_t ticket = 0;
  std::uint64_t bytes = 0;  ///< number of bytes of the segment that follow the header

  bool operator==(const FrameHeader&) const = default;
};

inline constexpr std::size_t kFrameHeaderBytes = 32;

/// Returns the encoded header.
std::array<std::byte, kFrameHeaderBytes> encode(const FrameHeader& header);
/// Decodes a frame's header. Returns none if the bytes do not start with the magic number of a header. Does not check
/// whether the window exists and takes this segment; `WindowTable::claim` checks that.
std::optional<FrameHeader> decode_frame_header(std::span<const std::byte, kFrameHeaderBytes> bytes);

}  // namespace troupe
