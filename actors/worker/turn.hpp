#pragma once

#include <semaphore>

namespace troupe {

/// A place among those that may go at a time, held from construction, which sleeps until one is free, to destruction.
class Turn {
 public:
  /// @param places null: there is always one
  explicit Turn(std::counting_semaphore<>* places) : places_(places) {
    if (places_ != nullptr) places_->acquire();
  }
  ~Turn() {
    if (places_ != nullptr) places_->release();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::counting_semaphore<>* places_;
};

}  // namespace troupe
