#pragma once

#include <memory>
#include <string>

#include "troupe/loss.hpp"

namespace troupe {

/// Returns the loss that is registered under a name.
/// @throws Error invalid_argument if no loss has this name; the message lists the known losses.
std::shared_ptr<const Loss> find_loss(const std::string& name);

/// Returns the default loss for the data: softmax cross-entropy if the data has classes, mean squared error if the data
/// has targets.
std::shared_ptr<const Loss> default_loss(const DataInfo& data);

}  // namespace troupe
