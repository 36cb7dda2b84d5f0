#pragma once

#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// Returns a hint if columns of numbers differ in scale by more than a factor of 1000. A network would learn little
/// from the small ones. Returns an empty string otherwise, for data that is not a table, and for data with samples that
/// take time to make. Considers the first thousand samples.
std::string scale_hint(const DataSource& data);

}  // namespace troupe
