#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cuda/placed_network.hpp"
#include "models/devices/profile.hpp"

namespace troupe::cuda {

enum class Direction : std::uint8_t { forward, backward };

/// Measures the time of training passes. Streams record events between operations, and the events are read when a pass
/// has ended. Since this takes a little time itself, only one of eight passes is measured and represents the others.
class PassTimes {
 public:
  explicit PassTimes(const PlacedNetwork& network);

  // For the compute stream, in its order.
  /// @param trains whether this is a training pass
  void begin(const Stream& compute, bool trains);
  /// The work since the last mark belongs to waiting for copies in that direction, to the layer, or to neither.
  void waits(const Stream& compute, Direction direction);
  void layer(const Stream& compute, std::size_t layer, Direction direction);
  void other(const Stream& compute);

  // For the stream that copies.
  void copy_begins(const Stream& copies);
  void copied(const Stream& copies, Direction direction);
  /// The compute stream has no more work; the pass lasts until this point.
  void last_copied(const Stream& copies);

  /// The whole pass has ended.
  void end(std::int64_t batch);

  /// Returns the times of all passes so far, extrapolated from the measured ones.
  std::vector<LayerTime> times() const;

 private:
  static constexpr std::size_t kWaiting = static_cast<std::size_t>(-1);
  static constexpr std::size_t kCopying = static_cast<std::size_t>(-2);
  /// The time between two events.
  struct Interval {
    std::size_t what = 0;  ///< a layer, kWaiting or kCopying
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
  bool measured_ = false;  ///< whether the current pass is measured
  std::size_t used_ = 0;
  std::size_t last_ = 0;  ///< last event of the compute stream
  std::size_t copy_ = 0;
  std::vector<Interval> intervals_;
};

}  // namespace troupe::cuda
