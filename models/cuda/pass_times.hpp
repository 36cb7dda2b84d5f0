#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cuda/placed_network.hpp"
#include "models/devices/profile.hpp"

namespace troupe::cuda {

enum class Direction : std::uint8_t { forward, backward };

/// Measures the time of the layers in training passes. A training pass is one forward and backward computation of a
/// batch. Streams record events between operations, and the times of the events are read when the pass has ended. Since
/// recording takes time itself, only one of eight passes is measured, and its times count eightfold.
class PassTimes {
 public:
  explicit PassTimes(const PlacedNetwork& network);

  // The following functions take the compute stream. They are called in the order in which work is queued on it.

  /// Begins a pass.
  /// @param trains false: the pass is not a training pass and is not measured
  void begin(const Stream& compute, bool trains);
  /// Counts the time since the previous call of `begin`, `waits`, `layer` or `other` as waiting for copies. `layer`
  /// counts this time for a layer, and `other` does not count it.
  void waits(const Stream& compute, Direction direction);
  void layer(const Stream& compute, std::size_t layer, Direction direction);
  void other(const Stream& compute);

  // The following functions take the stream that copies. `copy_begins` and `copied` enclose each copy.
  void copy_begins(const Stream& copies);
  void copied(const Stream& copies, Direction direction);
  /// Marks the end of the last copy. The time between the last work of the compute stream and this point counts as
  /// waiting.
  void last_copied(const Stream& copies);

  /// Ends the pass, when all work has ended: reads the times of the events and adds them up.
  /// @param batch number of samples of the pass
  void end(std::int64_t batch);

  /// Returns the times of all training passes so far, extrapolated from the measured passes.
  std::vector<LayerTime> times() const;

 private:
  static constexpr std::size_t kWaiting = static_cast<std::size_t>(-1);
  static constexpr std::size_t kCopying = static_cast<std::size_t>(-2);
  /// A measured interval. `begin` and `end` are indices in `events_`.
  struct Interval {
    std::size_t what = 0;  ///< the number of a layer, kWaiting or kCopying
    Direction direction = Direction::forward;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  std::size_t mark(const Stream& stream);
  void passed(const Stream& compute, std::size_t what, Direction direction);
  void add(const Interval& interval, std::int64_t batch);

  Profile layers_;
  LayerTime waiting_;
  LayerTime copying_;
  std::vector<TimedEvent> events_;
  std::int64_t passes_ = 0;
  std::int64_t measured_passes_ = 0;
  bool measured_ = false;  ///< true if the current pass is measured
  std::size_t used_ = 0;   ///< number of events of the current pass
  std::size_t last_ = 0;   ///< index of the last event of the compute stream
  std::size_t copy_ = 0;   ///< index of the event at the begin of the current copy
  std::vector<Interval> intervals_;
};

}  // namespace troupe::cuda
