#pragma once

namespace troupe {

/// Between two looks at what does not come yet: nothing at first, then others may run, and at last this thread sleeps.
class Pause {
 public:
  /// @param crowded whether more ranks than cores are on this machine, so that who waits keeps others from working
  explicit Pause(bool crowded);
  void operator()();

 private:
  int spins_, yields_;
  int looks_ = 0;
};

}  // namespace troupe
