#pragma once

namespace troupe {

/// Called between two polls for an event. The first calls return at once, later calls yield the processor, and all
/// further calls sleep for 20 microseconds.
class Pause {
 public:
  /// @param crowded true if this machine has more ranks than cores; then the pause yields earlier, because a spinning
  /// rank takes time from working ranks
  explicit Pause(bool crowded);
  void operator()();

 private:
  int spins_, yields_;
  int looks_ = 0;
};

}  // namespace troupe
