#pragma once

#include <condition_variable>
#include <mutex>

namespace troupe {

/// Lets so many threads go at a time.
class Turns {
 public:
  explicit Turns(int at_a_time) : free_(at_a_time) {}

  /// Held from construction, which sleeps until one is free, to destruction.
  class Turn {
   public:
    explicit Turn(Turns& turns);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& turns_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int free_;
};

}  // namespace troupe
