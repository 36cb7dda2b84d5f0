#pragma once

#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Returns advice for the log if columns of numbers differ in scale by a factor of at least 1,000. A network would
/// learn little from the columns with small numbers. Considers the first 1,000 samples. Returns an empty string if the
/// scales are similar, if the data is not a table, or if its samples take long to read.
std::string scale_hint(const DataSource& data);

}  // namespace troupe
