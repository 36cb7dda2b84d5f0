#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

/// What a version of the state is the result of.
struct Version {
  std::int64_t step = 0;     ///< steps committed
  std::int64_t updates = 0;  ///< that made the optimizer's vectors since they were zero

  bool operator==(const Version&) const = default;
};

/// Which buffer of the state holds which version: one is committed, others may be pinned, and what is neither may be
/// written. Plain book-keeping.
class Versions {
 public:
  using PinId = std::uint64_t;

  /// A new generation has so many buffers; its first ones hold what `live()` held, in that order.
  void begin(int buffers);

  /// All versions are lost, and all pins with them.
  void forget();

  /// False before the first weights.
  bool any() const { return committed_.buffer >= 0; }
  const Version& committed() const { return committed_.version; }
  /// That holds what is committed.
  int buffer() const { return committed_.buffer; }
  /// A buffer that may be written; none where all are committed or pinned.
  std::optional<int> spare() const;
  /// What was written there is committed now, and the version before is forgotten unless it is pinned.
  void commit(int buffer, const Version& version) { committed_ = {buffer, version}; }

  /// The committed version stays where it is until `unpin`.
  PinId pin();
  void unpin(PinId pin) { pins_.erase(pin); }
  bool holds(PinId pin) const { return pins_.contains(pin); }
  /// Of a pinned version. @throws std::out_of_range where it is not pinned.
  int buffer_of(PinId pin) const { return pins_.at(pin).buffer; }
  const Version& version_of(PinId pin) const { return pins_.at(pin).version; }

  /// Buffers whose content counts, in order.
  std::vector<int> live() const;
  /// Buffers that hold a pinned version which is not the committed one.
  int pinned() const;
  /// Buffers that the next generation needs, for a step beside all that is live.
  int buffers_needed() const;
  /// Each generation has room for so many pinned versions, so that steps go on at once when they come.
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
