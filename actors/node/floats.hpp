#pragma once

#include <cstddef>
#include <span>

#include "runtime/transport.hpp"

namespace troupe {

/// The numbers of windows for vectors that are moved outside the exchange of a step.
inline constexpr WindowId kTransferWindow = 0xFFFF0000;  ///< for a vector that moves between the driver and a node, in
                                                         ///< either direction
inline constexpr WindowId kPlaceWindow = 0xFFFF0001;     ///< for a vector that the first node sends into the state of
                                                         ///< another node
inline constexpr WindowId kGatherWindow = 0xFFFF1000;    ///< the window `kGatherWindow + i` is for slices that node i
                                                         ///< sends to the first node
inline constexpr WindowId kCopyWindow = 0xFFFF0002;      ///< for slices that a node sends to its buddy
inline constexpr WindowId kPieceWindow = 0xFFFE0000;     ///< the window `kPieceWindow + i` is for the piece of a copy
                                                         ///< with the index i in the driver's list
inline constexpr std::size_t kCopySegmentFloats = std::size_t{1} << 16;
inline constexpr std::size_t kCopySegmentBytes = kCopySegmentFloats * sizeof(float);
inline constexpr std::size_t kTransferSegmentBytes = std::size_t{1} << 20;

/// Sends `floats` to node `to`, segment by segment. Blocks until all floats are sent.
/// @param ticket the ticket of all segments of the transfer
void send_floats(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const float> floats,
                 const Deadline& deadline);
/// Blocks until `floats` floats have arrived in the window, in segments with the ticket `ticket`.
void wait_for_floats(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t floats,
                     const Deadline& deadline);
/// Checks that all `floats`, a part of the state that node `from` has sent, are finite.
/// @throws Error protocol that names node `from`, if a float is NaN or infinity
void check_received(const Transport& transport, int from, std::span<const float> floats);
/// Announces the memory `floats` as the window with the number `window`, which node `from` may write. First withdraws
/// an earlier window with this number, which still exists if its transfer failed.
/// @param keep owns the memory. If `keep` is null, the memory must stay valid until the window is withdrawn or the
/// generation ends
void expect_floats(Transport& transport, WindowId window, int from, std::span<float> floats,
                   std::shared_ptr<const void> keep = nullptr);

}  // namespace troupe
