#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// The number of a window. A window is a range of memory that one other node may write, segment by segment.
using WindowId = std::uint32_t;

/// The lengths with which a sender may send a segment: `whole` allows only the whole segment, `any` also allows a
/// shorter part from the segment's start, of at least one byte.
enum class SegmentLength : std::uint8_t { whole, any };

/// Sends segments of slabs between the nodes of one generation. Nodes are numbered from 0. Thread-safe.
///
/// A receiver announces a window once; then one sender may write the window any number of times. Each segment carries a
/// ticket: a number that grows from one use of the window to the next. A segment has arrived once all its bytes are in
/// the window's memory. The transport does not prevent a sender from overwriting content that the receiver still reads.
/// Therefore callers must send again only after the receiver has reported, in a round of messages, that it has read the
/// content.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Announces a window: allows node `from` to write the memory `bytes` in segments of `segment_bytes` bytes (the last
  /// segment may be shorter). If `keep` is null, the memory must stay valid until the generation ends; otherwise `keep`
  /// owns the memory.
  /// @throws Error invalid_argument if the window is already announced
  virtual void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                        std::shared_ptr<const void> keep = nullptr, SegmentLength length = SegmentLength::whole) = 0;

  /// Forbids further writes to a window. Has no effect if the window is not announced.
  /// @throws Error protocol that contains the name of the sending node, if a segment is being received. The rest of
  /// that segment may still be written until the generation ends.
  virtual void withdraw(WindowId window) = 0;

  /// Sends `bytes` to node `to`, as segment number `segment` of the receiver's window: the receiver stores them at the
  /// offset `segment * segment_bytes`. Returns once the caller may reuse the memory `bytes`; the segment may arrive
  /// later.
  /// @throws Error timeout, or worker_lost if the connection broke; both contain the name of the node
  virtual void send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                    std::span<const std::byte> bytes, const Deadline& deadline) = 0;

  /// Blocks until segment number `segment` of an announced window has arrived with `ticket` or a greater ticket.
  /// @throws Error timeout, or worker_lost if the sender's connection broke; worker_lost contains the name of the
  /// sender
  virtual void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) = 0;

  /// Returns the name of a node for error messages.
  virtual std::string name_of(int node) const = 0;
};

}  // namespace troupe
