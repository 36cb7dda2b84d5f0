#pragma once

#include <string>
#include <vector>

namespace troupe::fuzz {

/// Returns serialized messages of each kind, each after a byte with the number of its kind.
std::vector<std::string> message_seeds();

}  // namespace troupe::fuzz
