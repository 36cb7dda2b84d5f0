#include "models/optimizers/schedule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "runtime/suggestion.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The names of the kinds of schedules, in the order of ScheduleKind.
constexpr std::array kKindNames{"constant", "step", "cosine", "linear", "wsd"};

void require_of_schedule(bool holds, const std::string& what) {
  if (!holds) throw Error(ErrorCode::invalid_argument, "learning-rate schedule: " + what);
}

/// Returns which share of its fall is still ahead of the factor, from 1 to 0.
/// @param since the number of steps after the warm-up
double left_of_fall(const Schedule& schedule, std::int64_t since) {
  std::int64_t steps = schedule.total_steps;
  if (schedule.kind == ScheduleKind::wsd) {
    const std::int64_t decay = schedule.decay_steps > 0 ? schedule.decay_steps : (schedule.total_steps + 9) / 10;
    steps = std::min(decay, schedule.total_steps);
    since -= schedule.total_steps - steps;
  }
  const double done = static_cast<double>(std::clamp<std::int64_t>(since, 0, steps)) / static_cast<double>(steps);
  return schedule.kind == ScheduleKind::cosine ? (1 + std::cos(std::numbers::pi * done)) / 2 : 1 - done;
}

}  // namespace

const char* to_string(ScheduleKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kKindNames.size() ? kKindNames[index] : "unknown";
}

ScheduleKind schedule_kind_of(const std::string& name) {
  const auto* const found = std::ranges::find(kKindNames, name);
  require_of_schedule(found != kKindNames.end(), "unknown kind '" + name +
                                                     "'; the kinds are constant, step, cosine, linear and wsd" +
                                                     did_you_mean(name, {kKindNames.begin(), kKindNames.end()}));
  return static_cast<ScheduleKind>(found - kKindNames.begin());
}

void check_schedule(const Schedule& schedule) {
  require_of_schedule(static_cast<std::size_t>(schedule.kind) < kKindNames.size(),
                      "kind is not a value of ScheduleKind");
  require_of_schedule(schedule.warmup_steps >= 0, "warmup_steps is negative");
  require_of_schedule(schedule.step_size >= 1, "step_size is less than 1");
  require_of_schedule(std::isfinite(schedule.gamma) && schedule.gamma >= 0, "gamma must be finite and at least 0");
  require_of_schedule(schedule.total_steps >= 1, "total_steps is less than 1");
  require_of_schedule(schedule.decay_steps >= 0, "decay_steps is negative");
  require_of_schedule(schedule.final_fraction >= 0 && schedule.final_fraction <= 1, "final_fraction is not in [0, 1]");
}

double schedule_factor(const Schedule& schedule, std::int64_t step) {
  if (step < schedule.warmup_steps) return static_cast<double>(step) / static_cast<double>(schedule.warmup_steps);
  const std::int64_t since = step - schedule.warmup_steps;
  if (schedule.kind == ScheduleKind::step) {
    const std::int64_t falls = since / schedule.step_size;
    return std::pow(schedule.gamma, static_cast<double>(falls));
  }
  if (schedule.kind == ScheduleKind::constant) return 1;
  return schedule.final_fraction + (1 - schedule.final_fraction) * left_of_fall(schedule, since);
}

}  // namespace troupe
