#pragma once

#include <cstddef>
#include <span>

#include "runtime/transport.hpp"

namespace troupe {

/// The numbers of windows for vectors that are not part of the exchange of a step.
inline constexpr WindowId kTransferWindow = 0xFFFF0000;  ///< for a vector that the driver sends to a node, or a node to
                                                         ///< the driver
inline constexpr WindowId kPlaceWindow = 0xFFFF0001;     ///< for a vector that the first node sends into the state of
                                                         ///< another node
inline constexpr WindowId kGatherWindow = 0xFFFF1000;    ///< plus the number of a node: for slices that this node sends
                                                         ///< to the first node
inline constexpr std::size_t kTransferSegmentBytes = std::size_t{1} << 20;

/// Sends `floats` to node `to`, segment by segment. Blocks until all of them are sent.
void send_floats(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const float> floats,
                 const Deadline& deadline);
/// Blocks until `floats` floats with this ticket have arrived in the window.
void wait_for_floats(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t floats,
                     const Deadline& deadline);
/// Checks floats of the state that node `from` has sent.
/// @throws Error protocol that names the node, if a float is NaN or infinity
void check_received(const Transport& transport, int from, std::span<const float> floats);
/// Announces a window, so that node `from` can send `floats`. First withdraws an earlier window of this number, which
/// still exists if its transfer failed.
/// @param keep owns the memory; null: the memory must stay valid until the window is withdrawn or the generation ends
void expect_floats(Transport& transport, WindowId window, int from, std::span<float> floats,
                   std::shared_ptr<const void> keep = nullptr);

}  // namespace troupe
