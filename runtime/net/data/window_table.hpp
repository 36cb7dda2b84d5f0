#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/net/data/frame.hpp"
#include "runtime/transport.hpp"

namespace troupe {

/// The table of the windows of one membership. For each window, the table has the memory, the tickets of the arrived
/// segments, and the threads that wait for segments. The table does not depend on connections. Thread-safe.
class WindowTable {
 public:
  /// @param names names of the nodes, by number, for error messages
  explicit WindowTable(std::vector<std::string> names);
  ~WindowTable();

  /// See `Transport::announce` and `Transport::withdraw`.
  void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                std::shared_ptr<const void> keep, SegmentLength length = SegmentLength::whole);
  void withdraw(WindowId window);
  /// See `Transport::wait`.
  void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline);

  const std::string& name_of(int node) const { return names_.at(static_cast<std::size_t>(node)); }

  class Window;
  /// The memory of a segment that is being received. The caller of `claim` may write this memory until it calls
  /// `arrived`.
  struct Slot {
    std::shared_ptr<Window> window;
    FrameHeader header;
    std::span<std::byte> bytes;
  };
  /// Returns the memory to which the segment with the frame header `header` from node `from` must be written.
  /// @throws Error protocol unless all of these conditions hold. The window was announced for this node. The segment's
  /// number and size are valid. The ticket is greater than the ticket of the segment's previous content. The segment is
  /// not being received already.
  Slot claim(int from, const FrameHeader& header);
  /// Marks a segment as arrived, and wakes the threads that wait for this segment.
  void arrived(const Slot& slot);

  /// Marks a node as lost. Current and later calls of `wait` for the node's segments throw worker_lost with the message
  /// `why`, unless the segment has already arrived.
  void lose(int node, const std::string& why);
  /// Marks all nodes as lost, with the message `why`.
  void end(const std::string& why);

 private:
  struct Loss;

  std::shared_ptr<Window> find(WindowId window) const;
  /// Returns the windows that `node` may write. If `node` is none, returns all windows.
  std::vector<std::shared_ptr<Window>> windows_of(std::optional<int> node) const;
  void throw_if_lost(int node) const;

  const std::vector<std::string> names_;
  std::vector<std::unique_ptr<Loss>> losses_;  ///< indexed by node number
  mutable std::shared_mutex mutex_;
  std::unordered_map<WindowId, std::shared_ptr<Window>> windows_;
};

}  // namespace troupe
