#pragma once

#include "troupe/loss.hpp"

namespace troupe::losses {

/// @throws Error invalid_argument that names the loss, if the data has no classes.
void check_has_classes(const Loss& loss, const DataInfo& data);
/// @throws Error invalid_argument that names the loss, if the data has no targets.
void check_has_targets(const Loss& loss, const DataInfo& data);

}  // namespace troupe::losses
