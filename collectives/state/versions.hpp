#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// The number of steps and updates that led to a version of the state.
struct Version {
  std::int64_t step = 0;     ///< committed steps
  std::int64_t updates = 0;  ///< updates of the optimizer's vectors since these vectors were zero

  bool operator==(const Version&) const = default;
};

/// Records which buffer of the state contains which version. One version is committed and others may be pinned; all
/// remaining buffers may be written. This class contains numbers only; it does not touch the buffers.
class Versions {
 public:
  using PinId = std::uint64_t;

  /// Begins a generation with this number of buffers. The caller must have copied the buffers in `live()` into the
  /// first buffers of the new generation, in that order. This call numbers the versions accordingly.
  void begin(int buffers);

  /// Forgets all versions and all pins.
  void forget();

  /// Returns true if there is a committed version. There is none before the first weights are set.
  bool any() const { return committed_.buffer >= 0; }
  const Version& committed() const { return committed_.version; }
  /// Returns the buffer of the committed version.
  int buffer() const { return committed_.buffer; }
  /// Returns a buffer that may be written; std::nullopt if every buffer is committed or pinned.
  std::optional<int> spare() const;
  /// Declares that `buffer` contains the committed version, which is `version`. The buffer of the previous committed
  /// version may be written afterwards, unless that version is pinned.
  void commit(int buffer, const Version& version) { committed_ = {buffer, version}; }

  /// Pins the committed version: its buffer is not written until `unpin` is called with the returned value.
  PinId pin();
  void unpin(PinId pin) { pins_.erase(pin); }
  bool holds(PinId pin) const { return pins_.contains(pin); }
  /// Returns the buffer of a pinned version.
  /// @throws std::out_of_range if `pin` is not pinned
  int buffer_of(PinId pin) const { return pins_.at(pin).buffer; }
  const Version& version_of(PinId pin) const { return pins_.at(pin).version; }

  /// Returns the buffers that contain a committed or pinned version, in ascending order.
  std::vector<int> live() const;
  /// Returns the number of buffers that contain a pinned version, not counting the buffer of the committed version.
  int pinned() const;
  /// Returns the number of buffers that the next generation needs: one for the committed version, one that a step can
  /// write, and one for each pinned version. At least as many pinned versions are counted as `reserve` has set.
  int buffers_needed() const;
  /// Sets the minimum number of pinned versions for which later generations have buffers. Up to this number, a pin
  /// never causes a step to wait for a new generation.
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
