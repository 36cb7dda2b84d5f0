#pragma once

#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Returns advice for the log if the numbers in two columns of a table differ in size (root mean square) by a factor of
/// at least 1,000: a network would learn little from the column with the small numbers. Looks at the first 1,000
/// samples only. Returns an empty string if the sizes are similar, if the data is not a table, or if its samples take
/// long to read.
std::string scale_hint(const DataSource& data);

}  // namespace troupe
