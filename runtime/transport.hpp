#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// Identifies a range of memory that one other node may write into, one segment at a time.
using WindowId = std::uint32_t;

/// Whether a whole segment must be sent, or any number of bytes from its start.
enum class SegmentLength : std::uint8_t { whole, any };

/// Carries segments of slabs between the nodes of one generation. Nodes are numbered from 0. Thread-safe.
///
/// A receiver announces a window once; its one sender then writes it any number of times. Each segment carries a
/// ticket, a number that grows from one use of the window to the next. A segment has arrived once all its bytes are in
/// place. The callers' rounds of messages make sure that a window is not written while its last content is still read.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Allows node `from` to write `bytes`, in segments of `segment_bytes` (the last may be shorter). The memory must
  /// stay valid until the generation ends, or be owned by `keep`.
  /// @throws Error invalid_argument if the window is already announced.
  virtual void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                        std::shared_ptr<const void> keep = nullptr, SegmentLength length = SegmentLength::whole) = 0;

  /// Forbids further writes to the window, which need not be announced. @throws Error protocol, naming the node, if a
  /// segment is being received: that segment may still be written until the generation ends.
  virtual void withdraw(WindowId window) = 0;

  /// Sends one segment: `bytes` are written at `segment * segment_bytes` of the receiver's window. Returns once `bytes`
  /// may be reused. @throws Error timeout, or worker_lost naming the node.
  virtual void send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                    std::span<const std::byte> bytes, const Deadline& deadline) = 0;

  /// Blocks until a segment of an announced window holds the bytes sent with `ticket`.
  /// @throws Error timeout, or worker_lost naming the node whose connection broke.
  virtual void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) = 0;

  /// Returns the name of a node for error messages.
  virtual std::string name_of(int node) const = 0;
};

}  // namespace troupe
