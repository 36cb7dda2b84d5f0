#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// Identifies a version of the state by the number of steps and updates that led to it.
struct Version {
  std::int64_t step = 0;     ///< number of committed steps of the run
  std::int64_t updates = 0;  ///< number of updates of the optimizer's vectors since these vectors were zero

  bool operator==(const Version&) const = default;
};

/// Records which buffer of the state contains which version. One version is committed and others may be pinned; all
/// other buffers are spare and may be written. This class stores only numbers; it does not read or write the buffers.
class Versions {
 public:
  using PinId = std::uint64_t;

  /// Records the begin of a generation with `buffers` buffers. The caller must have copied the buffers in `live()` into
  /// the first buffers of the new generation, in the order of `live()`. This function changes the recorded buffer of
  /// each version accordingly.
  void begin(int buffers);

  /// Forgets all versions and all pins.
  void forget();

  /// Returns true if there is a committed version. Before the first weights are set, there is no committed version.
  bool any() const { return committed_.buffer >= 0; }
  const Version& committed() const { return committed_.version; }
  /// Returns the buffer of the committed version.
  int buffer() const { return committed_.buffer; }
  /// Returns a buffer that may be written; std::nullopt if every buffer is committed or pinned.
  std::optional<int> spare() const;
  /// Makes `version`, which is in the buffer `buffer`, the committed version. The buffer of the previous committed
  /// version may be written afterwards, unless that version is pinned.
  void commit(int buffer, const Version& version) { committed_ = {buffer, version}; }

  /// Pins the committed version: the version's buffer is not written until `unpin` is called with the returned value.
  PinId pin();
  void unpin(PinId pin) { pins_.erase(pin); }
  bool holds(PinId pin) const { return pins_.contains(pin); }
  /// Returns the buffer of the version that `pin` pins.
  /// @throws std::out_of_range if `pin` is not the result of a call of `pin()`, or was unpinned
  int buffer_of(PinId pin) const { return pins_.at(pin).buffer; }
  const Version& version_of(PinId pin) const { return pins_.at(pin).version; }

  /// Returns the buffers that contain a committed or pinned version, in ascending order.
  std::vector<int> live() const;
  /// Returns the number of buffers that contain a pinned version. The buffer of the committed version is not counted,
  /// even if it is also pinned.
  int pinned() const;
  /// Returns the number of buffers that the next generation needs: one for the committed version, one that a step can
  /// write, and one for each pinned version. If there are fewer pinned versions than `reserve` has set, the number that
  /// `reserve` has set is used.
  int buffers_needed() const;
  /// Sets the minimum number of pinned versions for which later generations have buffers. If not more versions than
  /// that are pinned, no step has to wait for a new generation because all buffers are in use.
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
