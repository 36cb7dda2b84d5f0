#include "actors/node/floats.hpp"

#include <algorithm>

#include "troupe/error.hpp"
#include "troupe/optimizer.hpp"

namespace troupe {
namespace {

constexpr std::size_t kSegmentFloats = kTransferSegmentBytes / sizeof(float);

}  // namespace

void send_floats(Transport& transport, int to, WindowId window, std::uint64_t ticket, std::span<const float> floats,
                 const Deadline& deadline) {
  for (std::size_t begin = 0; begin < floats.size(); begin += kSegmentFloats)
    transport.send(to, window, ticket, static_cast<std::uint32_t>(begin / kSegmentFloats),
                   std::as_bytes(floats.subspan(begin, std::min(kSegmentFloats, floats.size() - begin))), deadline);
}

void wait_for_floats(Transport& transport, WindowId window, std::uint64_t ticket, std::size_t floats,
                     const Deadline& deadline) {
  if (ticket == 0)
    throw Error(ErrorCode::protocol, "the transfer has no ticket");  // the wait for ticket 0 would
                                                                     // return at once
  for (std::size_t begin = 0; begin < floats; begin += kSegmentFloats)
    transport.wait(window, ticket, static_cast<std::uint32_t>(begin / kSegmentFloats), deadline);
}

void check_received(const Transport& transport, int from, std::span<const float> floats) {
  if (!all_finite(floats))
    throw Error(ErrorCode::protocol, "the node sent a state that is not finite", {.node = transport.name_of(from)});
}

void expect_floats(Transport& transport, WindowId window, int from, std::span<float> floats,
                   std::shared_ptr<const void> keep) {
  transport.withdraw(window);
  transport.announce(window, from, std::as_writable_bytes(floats), kTransferSegmentBytes, std::move(keep));
}

}  // namespace troupe
