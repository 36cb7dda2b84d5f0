#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cuda/placed_network.hpp"
#include "models/devices/profile.hpp"

namespace troupe::cuda {

enum class Direction : std::uint8_t { forward, backward };

/// Measures the time of the layers in training passes. A training pass is one forward and backward computation of a
/// batch. Events are recorded between operations, and their times are read when the pass has ended. Because recording
/// takes time itself, only one of eight passes is measured, and its times are multiplied by eight.
class PassTimes {
 public:
  explicit PassTimes(const PlacedNetwork& network);

  // The following functions take the compute stream. They must be called in the order in which work is queued on this
  // stream.

  /// Begins a pass on the compute stream.
  /// @param trains false: the pass is not a training pass and is not measured
  void begin(const Stream& compute, bool trains);
  /// Each of these functions ends an interval, which began at the previous call of one of them or of `begin`. `waits`
  /// counts the time of the interval as waiting for copies, `layer` counts it for a layer, and `other` does not count
  /// it.
  void waits(const Stream& compute, Direction direction);
  void layer(const Stream& compute, std::size_t layer, Direction direction);
  void other(const Stream& compute);

  // The following functions take a stream on which copies are queued. `copy_begins` is called directly before a copy is
  // queued, and `copied` directly after it.
  void copy_begins(const Stream& copies);
  void copied(const Stream& copies, Direction direction);
  /// Marks the end of the last copy of a pass. The time between the last work of the compute stream and the end of this
  /// copy counts as waiting.
  void last_copied(const Stream& copies);

  /// Ends the pass: reads the times of its events and adds them up. All work of the pass must have ended.
  /// @param batch number of samples of the pass
  void end(std::int64_t batch);

  /// Returns the times of all training passes so far, extrapolated from the measured passes.
  std::vector<LayerTime> times() const;

 private:
  static constexpr std::size_t kWaiting = static_cast<std::size_t>(-1);
  static constexpr std::size_t kCopying = static_cast<std::size_t>(-2);
  /// A measured interval of time. `begin` and `end` are the indices of its events in `events_`.
  struct Interval {
    std::size_t what = 0;  ///< the work in this interval: the number of a layer, kWaiting or kCopying
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
  std::size_t used_ = 0;   ///< number of events that the current pass has recorded
  std::size_t last_ = 0;   ///< index of the last event of the compute stream
  std::size_t copy_ = 0;   ///< index of the event at the beginning of the current copy
  std::vector<Interval> intervals_;
};

}  // namespace troupe::cuda
