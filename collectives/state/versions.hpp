#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// The number of steps and updates that led to a version of the state.
struct Version {
  std::int64_t step = 0;     ///< committed steps
  std::int64_t updates = 0;  ///< updates of the optimizer's vectors since they were zero

  bool operator==(const Version&) const = default;
};

/// Records which buffer of the state holds which version. One version is committed and others may be pinned; all other
/// buffers may be written. Plain book-keeping.
class Versions {
 public:
  using PinId = std::uint64_t;

  /// Begins a generation with this number of buffers. Its first buffers hold the contents of the buffers in `live()`,
  /// in that order.
  void begin(int buffers);

  /// Forgets all versions and all pins.
  void forget();

  /// Returns false before the first weights.
  bool any() const { return committed_.buffer >= 0; }
  const Version& committed() const { return committed_.version; }
  /// Returns the buffer of the committed version.
  int buffer() const { return committed_.buffer; }
  /// Returns a buffer that may be written; none if all are committed or pinned.
  std::optional<int> spare() const;
  /// Commits the version in `buffer`. The previous version is forgotten unless it is pinned.
  void commit(int buffer, const Version& version) { committed_ = {buffer, version}; }

  /// Keeps the committed version in its buffer until `unpin`.
  PinId pin();
  void unpin(PinId pin) { pins_.erase(pin); }
  bool holds(PinId pin) const { return pins_.contains(pin); }
  /// Returns the buffer of a pinned version.
  /// @throws std::out_of_range if `pin` is not pinned
  int buffer_of(PinId pin) const { return pins_.at(pin).buffer; }
  const Version& version_of(PinId pin) const { return pins_.at(pin).version; }

  /// Returns the buffers with a committed or pinned version, in order.
  std::vector<int> live() const;
  /// Returns the number of buffers with a pinned version other than the committed one.
  int pinned() const;
  /// Returns the number of buffers that the next generation needs: one for a step, in addition to all live ones.
  int buffers_needed() const;
  /// Reserves room for this number of pinned versions in each later generation, so that a pin never delays a step.
  void reserve(int pinned) { reserved_ = pinned; }

 private:
  struct Place {
    int buffer = -1;
    Version version;
  };

  int buffers_ = 0;
  int reserved_ = 0;
  Place committed_;
  std::map<PinId, Place> pins_;
  PinId last_pin_ = 0;
};

}  // namespace troupe
