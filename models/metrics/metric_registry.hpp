#pragma once

#include <string>

#include "troupe/metric.hpp"

namespace troupe {

/// Returns the metric that is registered under a name.
/// @throws Error invalid_argument that lists the known metrics, if there is no such metric.
Metric find_metric(const std::string& name);

}  // namespace troupe
