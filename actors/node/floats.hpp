#pragma once

#include <cstddef>
#include <span>

#include "runtime/transport.hpp"

namespace troupe {

/// Windows beyond those of the exchange.
inline constexpr WindowId kTransferWindow = 0xFFFF0000;  ///< a vector between the driver and a node
inline constexpr WindowId kPlaceWindow = 0xFFFF0001;     ///< one from the first node into one of the others' state
inline constexpr WindowId kGatherWindow = 0xFFFF1000;    ///< and a node's number: its slices, to the first
inline constexpr std::size_t kTransferSegmentBytes = std::size_t{1} << 20;

/// Sends `floats`, or waits for them, segment by segment.
void send_floats(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const float> floats,
                 const Deadline& deadline);
void wait_for_floats(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t floats,
                     const Deadline& deadline);
/// @throws Error protocol where what node `from` has sent is not finite, as all of the state is
void check_received(const Transport& transport, int from, std::span<const float> floats);
/// Lets node `from` send so many floats, once, in place of what came to nothing.
void expect_floats(Transport& transport, WindowId window, int from, std::span<float> floats,
                   std::shared_ptr<const void> keep = nullptr);

}  // namespace troupe
