#include "runtime/net/data/window_table.hpp"

#include <algorithm>

#include "troupe/error.hpp"

namespace troupe {
namespace {

std::string describe(const FrameHeader& header) {
  return "segment " + std::to_string(header.segment) + " of window " + std::to_string(header.window);
}

[[noreturn]] void malformed(const FrameHeader& header, const char* why) {
  throw Error(ErrorCode::protocol, describe(header) + " " + why);
}

}  // namespace

/// A window with the state of each of its segments. A ticket of 0 means that the segment has not arrived yet.
class WindowTable::Window {
 public:
  struct Segment {
    std::uint64_t claimed = 0;               ///< ticket of the last frame for this segment whose header has arrived
    std::atomic<std::uint64_t> arrived = 0;  ///< ticket of the last frame for this segment that has arrived completely
  };

  Window(int sender, std::span<std::byte> memory, std::size_t size, std::shared_ptr<const void> owner,
         SegmentLength sent)
      : from(sender),
        bytes(memory),
        segment_bytes(size),
        length(sent),
        keep(std::move(owner)),
        segments(count(memory.size(), size)) {}

  std::span<std::byte> segment(std::size_t number) const {
    const std::size_t begin = number * segment_bytes;
    return bytes.subspan(begin, std::min(segment_bytes, bytes.size() - begin));
  }

  const int from;
  const std::span<std::byte> bytes;
  const std::size_t segment_bytes;
  const SegmentLength length;
  /// Keeps the memory alive, because a segment may still be written after `withdraw`.
  const std::shared_ptr<const void> keep;
  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0;  ///< number of threads that wait for a segment
  bool withdrawn = false;
  std::vector<Segment> segments;

 private:
  static std::size_t count(std::size_t bytes, std::size_t size) { return bytes == 0 ? 0 : (bytes - 1) / size + 1; }
};

struct WindowTable::Loss {
  std::atomic<bool> lost = false;
  std::string why;  ///< the reason; written before `lost` is set
};

WindowTable::WindowTable(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) losses_.push_back(std::make_unique<Loss>());
}

WindowTable::~WindowTable() = default;

void WindowTable::announce(WindowId window, int from, std::span<std::byte> bytes, std::size_t segment_bytes,
                           std::shared_ptr<const void> keep, SegmentLength length) {
  const auto name = "window " + std::to_string(window);
  if (from < 0 || static_cast<std::size_t>(from) >= names_.size())
    throw Error(ErrorCode::invalid_argument, name + " is for a node that does not exist");
  if (segment_bytes == 0 || bytes.size() / segment_bytes >= UINT32_MAX)
    throw Error(ErrorCode::invalid_argument, name + " has segments of an impossible size");
  auto made = std::make_shared<Window>(from, bytes, segment_bytes, std::move(keep), length);
  const std::unique_lock lock(mutex_);
  if (!windows_.try_emplace(window, std::move(made)).second)
    throw Error(ErrorCode::invalid_argument, name + " is announced already");
}

void WindowTable::withdraw(WindowId window) {
  std::shared_ptr<Window> gone;
  {
    const std::unique_lock lock(mutex_);
    const auto found = windows_.find(window);
    if (found == windows_.end()) return;
    gone = std::move(found->second);
    windows_.erase(found);
  }
  const std::lock_guard lock(gone->mutex);
  gone->withdrawn = true;
  const auto arriving = [](const Window::Segment& segment) { return segment.claimed != segment.arrived; };
  if (std::any_of(gone->segments.begin(), gone->segments.end(), arriving))
    throw Error(ErrorCode::protocol, "window " + std::to_string(window) + " is still being written",
                {.node = names_[static_cast<std::size_t>(gone->from)]});
}

std::shared_ptr<WindowTable::Window> WindowTable::find(WindowId window) const {
  const std::shared_lock lock(mutex_);
  const auto found = windows_.find(window);
  return found == windows_.end() ? nullptr : found->second;
}

void WindowTable::throw_if_lost(int node) const {
  const auto index = static_cast<std::size_t>(node);
  if (!losses_[index]->lost.load(std::memory_order_acquire)) return;
  throw Error(ErrorCode::worker_lost, losses_[index]->why, {.node = names_[index]});
}

void WindowTable::wait(WindowId window, std::uint64_t ticket, std::uint32_t segment, const Deadline& deadline) {
  const std::shared_ptr<Window> found = find(window);
  if (!found || segment >= found->segments.size())
    throw Error(ErrorCode::invalid_argument, "nothing is announced as " + describe({window, segment}));
  const auto& arrived = found->segments[segment].arrived;
  if (arrived.load(std::memory_order_acquire) >= ticket) return;
  std::unique_lock lock(found->mutex);
  ++found->waiting;
  try {
    while (arrived.load(std::memory_order_acquire) < ticket) {
      throw_if_lost(found->from);
      if (deadline.passed())
        throw Error(ErrorCode::timeout, describe({window, segment}) + " did not arrive in time",
                    {.node = names_[static_cast<std::size_t>(found->from)]});
      found->changed.wait_until(lock, deadline.at());
    }
  } catch (...) {
    --found->waiting;
    throw;
  }
  --found->waiting;
}

WindowTable::Slot WindowTable::claim(int from, const FrameHeader& header) {
  std::shared_ptr<Window> window = find(header.window);
  if (!window || window->from != from) malformed(header, "is not announced for this node");
  if (header.segment >= window->segments.size()) malformed(header, "does not exist");
  const std::span<std::byte> bytes = window->segment(header.segment);
  const std::size_t least = window->length == SegmentLength::whole ? bytes.size() : 1;
  if (header.bytes < least || header.bytes > bytes.size()) malformed(header, "has a wrong size");
  auto& segment = window->segments[header.segment];
  const std::lock_guard lock(window->mutex);
  if (window->withdrawn) malformed(header, "is no longer announced");
  if (header.ticket <= segment.claimed) malformed(header, "has already arrived");
  if (segment.claimed != segment.arrived) malformed(header, "is already arriving");
  segment.claimed = header.ticket;
  return {std::move(window), header, bytes.first(header.bytes)};
}

void WindowTable::arrived(const Slot& slot) {
  Window& window = *slot.window;
  const std::lock_guard lock(window.mutex);
  window.segments[slot.header.segment].arrived.store(slot.header.ticket, std::memory_order_release);
  if (window.waiting > 0) window.changed.notify_all();
}

std::vector<std::shared_ptr<WindowTable::Window>> WindowTable::windows_of(std::optional<int> node) const {
  const std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<Window>> windows;
  for (const auto& [id, window] : windows_)
    if (!node || window->from == *node) windows.push_back(window);
  return windows;
}

void WindowTable::lose(int node, const std::string& why) {
  Loss& loss = *losses_[static_cast<std::size_t>(node)];
  {
    const std::unique_lock lock(mutex_);
    if (loss.lost) return;
    loss.why = why;
    loss.lost.store(true, std::memory_order_release);
  }
  for (const auto& window : windows_of(node)) {
    const std::lock_guard lock(window->mutex);
    window->changed.notify_all();
  }
}

void WindowTable::end(const std::string& why) {
  for (std::size_t node = 0; node < names_.size(); ++node) lose(static_cast<int>(node), why);
}

}  // namespace troupe
