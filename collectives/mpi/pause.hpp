#pragma once

namespace troupe {

/// A function object that is called between two polls for an event. The first calls return at once, later calls yield
/// the processor, and all calls after that sleep for 20 microseconds.
class Pause {
 public:
  /// @param crowded true if this machine has more ranks than cores. The calls then yield earlier, because a rank that
  /// polls without pausing takes processor time from ranks that compute
  explicit Pause(bool crowded);
  void operator()();

 private:
  int spins_, yields_;
  int looks_ = 0;
};

}  // namespace troupe
