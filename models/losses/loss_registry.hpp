#pragma once

#include <memory>
#include <string>

#include "troupe/loss.hpp"

namespace troupe {

/// The loss registered under `name`. @throws Error invalid_argument that lists what there is.
std::shared_ptr<const Loss> find_loss(const std::string& name);

/// What such data is learned with where nothing else is asked for: softmax cross-entropy for classes, mean squared
/// error for targets.
std::shared_ptr<const Loss> default_loss(const DataInfo& data);

}  // namespace troupe
