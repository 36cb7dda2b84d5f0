#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/clock.hpp"

namespace troupe {

/// A range of memory that one other node may write into, a segment at a time.
using WindowId = std::uint32_t;

/// How much of a segment must be sent: all of it, or some bytes from its beginning on.
enum class SegmentLength : std::uint8_t { whole, any };

/// Carries segments of slabs between the nodes of one membership (generation). Nodes are numbered from 0.
///
/// A window is announced once by its receiver and then written by its one sender as often as it likes. Each segment
/// carries a ticket, a number that grows from one use of the window to the next, and counts as there once all of its
/// bytes are in place. Sender and receiver see to it, by the rounds of messages around, that a window is not written
/// while its last content is still read. For use by several threads.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// From now on node `from` may write `bytes`, in segments of `segment_bytes` (the last may be shorter). The memory
  /// must stay until the membership ends, or be what `keep` refers to.
  /// @throws Error invalid_argument when the window is announced already.
  virtual void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                        std::shared_ptr<const void> keep = nullptr, SegmentLength length = SegmentLength::whole) = 0;

  /// From now on nobody writes the window, which need not be announced. @throws Error protocol, naming the node, when a
  /// segment is just coming: that one may still be written, until the membership ends.
  virtual void withdraw(WindowId window) = 0;

  /// Sends one segment: `bytes` go to `segment * segment_bytes` of the receiver's window. Returns when they have
  /// left this process's memory. @throws Error timeout, or worker_lost naming the node.
  virtual void send(int to, WindowId window, std::uint64_t ticket, std::uint32_t segment,
                    std::span<const std::byte> bytes, const Deadline& deadline) = 0;

  /// Waits until a segment of an announced window holds what was sent with `ticket`.
  /// @throws Error timeout, or worker_lost naming the node whose connection broke.
  virtual void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) = 0;

  /// As errors name a node.
  virtual std::string name_of(int node) const = 0;
};

}  // namespace troupe
