#include "actors/worker/turns.hpp"

namespace troupe {

Turns::Turn::Turn(Turns& turns) : turns_(turns) {
  std::unique_lock lock(turns_.mutex_);
  turns_.changed_.wait(lock, [this] { return turns_.free_ > 0; });
  --turns_.free_;
}

Turns::Turn::~Turn() {
  {
    const std::lock_guard lock(turns_.mutex_);
    ++turns_.free_;
  }
  turns_.changed_.notify_one();
}

}  // namespace troupe
