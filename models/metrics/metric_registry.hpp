#pragma once

#include <string>

#include "troupe/metric.hpp"

namespace troupe {

/// Returns the metric that is registered under a name.
/// @throws Error invalid_argument if no metric has this name; the message lists the known metrics.
Metric find_metric(const std::string& name);

}  // namespace troupe
