#pragma once

#include <cstdint>

#include "troupe/algorithms.hpp"

namespace troupe::cli {

/// After how many steps a run ends of which so many are wanted: a call of local SGD makes several.
std::int64_t planned_steps(const Algorithm& algorithm, std::int64_t steps);

/// The same, in epochs of so many steps. @param epochs 0 where nobody has said. @throws Error invalid_argument for too
/// many
std::int64_t planned_steps(const Algorithm& algorithm, std::int64_t epochs, std::int64_t epoch_steps);

}  // namespace troupe::cli
