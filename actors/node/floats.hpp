#pragma once

#include <cstddef>
#include <span>

#include "runtime/transport.hpp"

namespace troupe {

/// Windows in addition to those of the exchange.
inline constexpr WindowId kTransferWindow = 0xFFFF0000;  ///< a vector between the driver and a node
inline constexpr WindowId kPlaceWindow = 0xFFFF0001;     ///< a vector from the first node into the state of another
                                                         ///< node
inline constexpr WindowId kGatherWindow = 0xFFFF1000;    ///< plus the number of a node: the node's slices, sent to the
                                                         ///< first node
inline constexpr std::size_t kTransferSegmentBytes = std::size_t{1} << 20;

/// `send_floats` sends floats segment by segment. `wait_for_floats` waits for them.
void send_floats(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const float> floats,
                 const Deadline& deadline);
void wait_for_floats(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t floats,
                     const Deadline& deadline);
/// @throws Error protocol if the floats that node `from` sent are not finite; all floats of the state must be
void check_received(const Transport& transport, int from, std::span<const float> floats);
/// Lets node `from` send floats once. Replaces an earlier window whose transfer failed.
void expect_floats(Transport& transport, WindowId window, int from, std::span<float> floats,
                   std::shared_ptr<const void> keep = nullptr);

}  // namespace troupe
