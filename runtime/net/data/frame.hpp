#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/transport.hpp"

namespace troupe {

/// The header before the bytes of each segment on a data connection: fixed size, little-endian.
struct FrameHeader {
  WindowId window = 0;
  std::uint32_t segment = 0;
  std::uint64_t ticket = 0;
  std::uint64_t bytes = 0;  ///< number of bytes that follow

  bool operator==(const FrameHeader&) const = default;
};

inline constexpr std::size_t kFrameHeaderBytes = 32;

std::array<std::byte, kFrameHeaderBytes> encode(const FrameHeader& header);
/// Returns none if the bytes are not a valid header. `WindowTable` checks whether the window takes the segment.
std::optional<FrameHeader> decode_frame_header(std::span<const std::byte, kFrameHeaderBytes> bytes);

}  // namespace troupe
