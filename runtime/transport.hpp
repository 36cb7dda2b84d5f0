#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// Identifies a window: a range of memory that one other node may write, one segment at a time.
using WindowId = std::uint32_t;

/// Which lengths of a segment may be sent: only the whole segment, or any number of bytes from its start, at least one.
enum class SegmentLength : std::uint8_t { whole, any };

/// Carries segments of slabs between the nodes of one generation. Nodes are numbered from 0. Thread-safe.
///
/// A receiver announces a window once; then one sender may write the window any number of times. Each segment carries a
/// ticket, a number that grows from one use of the window to the next. A segment has arrived once all its bytes are in
/// the window's memory. The transport does not prevent a sender from overwriting content that is still read: callers
/// must prevent this with rounds of messages.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Announces a window: allows node `from` to write the memory `bytes` in segments of `segment_bytes` (the last
  /// segment may be shorter). The memory must stay valid until the generation ends, or be owned by `keep`.
  /// @throws Error invalid_argument if the window is already announced
  virtual void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                        std::shared_ptr<const void> keep = nullptr, SegmentLength length = SegmentLength::whole) = 0;

  /// Forbids further writes to a window. Has no effect if the window is not announced.
  /// @throws Error protocol that names the node, if a segment is being received: the rest of that segment may still be
  /// written until the generation ends
  virtual void withdraw(WindowId window) = 0;

  /// Sends one segment to node `to`: `bytes` are written at the offset `segment * segment_bytes` of the receiver's
  /// window. Returns once the caller may reuse the memory `bytes`.
  /// @throws Error timeout, or worker_lost, naming the node
  virtual void send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                    std::span<const std::byte> bytes, const Deadline& deadline) = 0;

  /// Blocks until a segment of an announced window has arrived with `ticket` or a greater ticket.
  /// @throws Error timeout, or worker_lost that names the node whose connection broke
  virtual void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) = 0;

  /// Returns the name of a node for error messages.
  virtual std::string name_of(int node) const = 0;
};

}  // namespace troupe
