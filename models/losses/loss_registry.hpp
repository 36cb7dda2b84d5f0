#pragma once

#include <memory>
#include <string>

#include "troupe/loss.hpp"

namespace troupe {

/// Returns the loss that is registered under a name.
/// @throws Error invalid_argument that lists the known losses, if there is no such loss.
std::shared_ptr<const Loss> find_loss(const std::string& name);

/// Returns the default loss for the data: softmax cross-entropy for classes, mean squared error for targets.
std::shared_ptr<const Loss> default_loss(const DataInfo& data);

}  // namespace troupe
