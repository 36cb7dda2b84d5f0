#pragma once

#include <cstdint>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe {

/// @throws Error invalid_argument for a name that no kind has.
ScheduleKind schedule_kind_of(const std::string& name);

/// @throws Error invalid_argument naming an option that cannot work.
void check_schedule(const Schedule& schedule);

/// What the learning rate is multiplied with at a step, counted from 0. In warm-up it is step / warmup_steps; step
/// and cosine count from its end.
double schedule_factor(const Schedule& schedule, std::int64_t step);

}  // namespace troupe
