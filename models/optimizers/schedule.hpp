#pragma once

#include <cstdint>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe {

/// Returns the kind of schedule with this name.
/// @throws Error invalid_argument for an unknown name.
ScheduleKind schedule_kind_of(const std::string& name);

/// Checks that all members of a schedule are in their allowed ranges.
/// @throws Error invalid_argument for an invalid member; the message names the member.
void check_schedule(const Schedule& schedule);

/// Returns the factor by which the learning rate is multiplied in step `step`, counted from 0. During the warm-up the
/// factor is step / warmup_steps. All kinds count their steps from the end of the warm-up.
double schedule_factor(const Schedule& schedule, std::int64_t step);

}  // namespace troupe
