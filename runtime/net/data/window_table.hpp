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

/// The windows of one membership: where segments may go, which have come, and who waits for them. Knows no connection.
/// For use by several threads.
class WindowTable {
 public:
  /// @param names of the nodes, for errors.
  explicit WindowTable(std::vector<std::string> names);
  ~WindowTable();

  /// As `Transport::announce` and `Transport::withdraw`.
  void announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                std::shared_ptr<const void> keep, SegmentLength length = SegmentLength::whole);
  void withdraw(WindowId window);
  /// As `Transport::wait`.
  void wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline);

  const std::string& name_of(int node) const { return names_.at(static_cast<std::size_t>(node)); }

  class Window;
  /// A segment that may be written now; `arrived` ends that.
  struct Slot {
    std::shared_ptr<Window> window;
    FrameHeader header;
    std::span<std::byte> bytes;
  };
  /// Where a segment of node `from` goes. @throws Error protocol unless the window was announced for that node, the
  /// segment is one of its, has a size it may have, a ticket greater than its last, and is not just arriving.
  Slot claim(int from, const FrameHeader& header);
  /// All of the segment's bytes are in place.
  void arrived(const Slot& slot);

  /// Nothing more will come from a node: who waits for it fails now, and so does who comes later.
  void lose(int node, const std::string& why);
  /// Nothing more will come at all.
  void end(const std::string& why);

 private:
  struct Loss;

  std::shared_ptr<Window> find(WindowId window) const;
  std::vector<std::shared_ptr<Window>> windows_of(std::optional<int> node) const;
  void throw_if_lost(int node) const;

  const std::vector<std::string> names_;
  std::vector<std::unique_ptr<Loss>> losses_;  ///< by node
  mutable std::shared_mutex mutex_;
  std::unordered_map<WindowId, std::shared_ptr<Window>> windows_;
};

}  // namespace troupe
