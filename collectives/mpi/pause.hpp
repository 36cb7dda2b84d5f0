#pragma once

namespace troupe {

/// Waits between two polls: first spins, then yields the processor, finally sleeps.
class Pause {
 public:
  /// @param crowded true if this machine has more ranks than cores, so that a spinning rank takes time from working
  /// ranks
  explicit Pause(bool crowded);
  void operator()();

 private:
  int spins_, yields_;
  int looks_ = 0;
};

}  // namespace troupe
