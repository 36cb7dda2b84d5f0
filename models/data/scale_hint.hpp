#pragma once

#include <string>

#include "troupe/data.hpp"

namespace troupe {

/// A sentence where columns of numbers differ in scale more than a thousandfold, so that a network learns little of the
/// small ones; empty where none do, for data that is no table, and for data whose samples take time to make. Looks at
/// the first thousand samples.
std::string scale_hint(const DataSource& data);

}  // namespace troupe
