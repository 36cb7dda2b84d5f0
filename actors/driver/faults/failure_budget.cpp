#include "actors/driver/faults/failure_budget.hpp"

#include <algorithm>

namespace troupe {
namespace {

constexpr std::chrono::hours kWindow{1};
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{5000};
/// The largest number of earlier losses that the text of an error lists.
constexpr std::size_t kMostTold = 8;

}  // namespace

bool FailureBudget::allows(const Error& loss, Clock::time_point now) {
  losses_.push_back({now, loss});
  ++without_progress_;
  while (now - losses_.front().at > kWindow) losses_.pop_front();
  return std::ssize(losses_) <= most_;
}

std::chrono::milliseconds FailureBudget::pause() const {
  if (without_progress_ < 2) return std::chrono::milliseconds(0);
  auto pause = kFirstPause;
  for (int i = without_progress_; i > 2 && pause < kLongestPause; --i) pause *= 2;
  return std::min(pause, kLongestPause);
}

Error FailureBudget::spent() const {
  const Error& last = losses_.back().error;
  if (most_ == 0) return last;
  std::string text = last.message() + "; this is loss " + std::to_string(losses_.size()) +
                     " within an hour, more than max_failures = " + std::to_string(most_);
  const std::size_t told = std::min(losses_.size() - 1, kMostTold);
  for (std::size_t i = losses_.size() - 1 - told; i + 1 < losses_.size(); ++i)
    text += std::string(i + 1 + told == losses_.size() ? "; earlier losses: " : "; ") + losses_[i].error.what();
  return {last.code(), text, last.where()};
}

}  // namespace troupe
