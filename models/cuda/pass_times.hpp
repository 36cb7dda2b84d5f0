#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/cuda/placed_network.hpp"
#include "models/devices/profile.hpp"

namespace troupe::cuda {

enum class Direction : std::uint8_t { forward, backward };

/// Where the time of training passes goes: streams record events between what they do, which are read when a pass has
/// ended. That takes a little time itself, so one pass of eight is measured, and stands for the others.
class PassTimes {
 public:
  explicit PassTimes(const PlacedNetwork& network);

  // Of the compute stream, in its order.
  /// @param trains whether this pass counts
  void begin(const Stream& compute, bool trains);
  /// What it was given since it was marked last waits for copies in that direction, is of the layer, or is none of
  /// both.
  void waits(const Stream& compute, Direction direction);
  void layer(const Stream& compute, std::size_t layer, Direction direction);
  void other(const Stream& compute);

  // Of the stream that copies.
  void copy_begins(const Stream& copies);
  void copied(const Stream& copies, Direction direction);
  /// The compute stream has nothing more to do, and the pass goes on until here.
  void last_copied(const Stream& copies);

  /// All of the pass has ended.
  void end(std::int64_t batch);

  /// Of all so far, as those that were measured say.
  std::vector<LayerTime> times() const;

 private:
  static constexpr std::size_t kWaiting = static_cast<std::size_t>(-1);
  static constexpr std::size_t kCopying = static_cast<std::size_t>(-2);
  /// From one event to another.
  struct Interval {
    std::size_t what = 0;  ///< a layer, or one of these
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
  bool measured_ = false;  ///< the pass under way
  std::size_t used_ = 0;
  std::size_t last_ = 0;  ///< event of the compute stream
  std::size_t copy_ = 0;
  std::vector<Interval> intervals_;
};

}  // namespace troupe::cuda
