#pragma once

#include "troupe/loss.hpp"

namespace troupe::losses {

/// Checks that the data has classes, which the loss needs.
/// @throws Error invalid_argument that names the loss, if the data has no classes.
void check_has_classes(const Loss& loss, const DataInfo& data);
/// Checks that the data has targets, which the loss needs.
/// @throws Error invalid_argument that names the loss, if the data has no targets.
void check_has_targets(const Loss& loss, const DataInfo& data);

}  // namespace troupe::losses
