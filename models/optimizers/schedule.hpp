#pragma once

#include <cstdint>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe {

/// @throws Error invalid_argument for an unknown name.
ScheduleKind schedule_kind_of(const std::string& name);

/// @throws Error invalid_argument that names an invalid option.
void check_schedule(const Schedule& schedule);

/// Returns the factor of the learning rate at a step, counted from 0. During warm-up it is step / warmup_steps; the
/// kinds step and cosine count from the end of the warm-up.
double schedule_factor(const Schedule& schedule, std::int64_t step);

}  // namespace troupe
