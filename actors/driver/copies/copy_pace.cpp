#include "actors/driver/copies/copy_pace.hpp"

#include <algorithm>

namespace troupe {

void CopyPace::note_steps(std::int64_t steps, std::int64_t step, double seconds) {
  step_ = step;
  step_seconds_ = steps > 0 ? seconds / static_cast<double>(steps) : seconds;
  allowance_ = std::min(allowance_ + kShare * seconds, kSavedSteps * kShare * step_seconds_);
  pause_ -= seconds;
}

void CopyPace::note_work(double seconds, std::size_t segments) {
  allowance_ -= seconds;
  if (segments > 0 && seconds > 0) per_second_ = static_cast<double>(segments) / seconds;
}

bool CopyPace::may_begin() const {
  if (due_) return true;
  if (pause_ > 0) return false;
  return every_ > 0 ? step_ >= next_ : allowance_ >= 0;
}

void CopyPace::begin() {
  due_ = false;
  next_ = every_ > 0 ? (step_ / every_ + 1) * every_ : 0;
}

std::size_t CopyPace::segments(std::size_t left) const {
  if (every_ > 0) {
    const auto steps = static_cast<std::size_t>(std::max<std::int64_t>(next_ - step_, 1));
    return (left + steps - 1) / steps;
  }
  if (allowance_ < 0) return 0;
  const double fitting = per_second_ * std::max(allowance_, kShare * step_seconds_);
  return std::clamp<std::size_t>(static_cast<std::size_t>(fitting), 1, left);
}

}  // namespace troupe
