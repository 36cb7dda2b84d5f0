#pragma once

#include <string>

#include "troupe/metric.hpp"

namespace troupe {

/// Returns the metric registered under `name`. @throws Error invalid_argument that lists the known metrics.
Metric find_metric(const std::string& name);

}  // namespace troupe
