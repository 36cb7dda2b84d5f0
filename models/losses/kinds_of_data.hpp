#pragma once

#include "troupe/loss.hpp"

namespace troupe::losses {

/// Checks that the data has classes. Called by a loss that is defined for classes only.
/// @throws Error invalid_argument if the data has no classes; the message names the loss.
void check_has_classes(const Loss& loss, const DataInfo& data);
/// Checks that the data has targets. Called by a loss that is defined for targets only.
/// @throws Error invalid_argument if the data has no targets; the message names the loss.
void check_has_targets(const Loss& loss, const DataInfo& data);

}  // namespace troupe::losses
