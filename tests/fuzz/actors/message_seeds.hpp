#pragma once

#include <string>
#include <vector>

namespace troupe::fuzz {

/// Messages of each kind as they travel, each behind the number of its kind.
std::vector<std::string> message_seeds();

}  // namespace troupe::fuzz
