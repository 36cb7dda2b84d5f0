#pragma once

#include <string>

#include "troupe/metric.hpp"

namespace troupe {

/// The metric registered under `name`. @throws Error invalid_argument that lists what there is.
Metric find_metric(const std::string& name);

}  // namespace troupe
