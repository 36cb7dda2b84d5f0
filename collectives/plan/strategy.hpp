#pragma once

#include <array>
#include <cstddef>

#include "troupe/strategy.hpp"

namespace troupe {

/// The name of each strategy, indexed by the value of the enumerator.
inline constexpr std::array<const char*, 6> kStrategyNames{"auto",         "sharded", "driver",
                                                           "hierarchical", "ring",    "parameter-server"};
static_assert(static_cast<std::size_t>(Strategy::parameter_server) + 1 == kStrategyNames.size());

}  // namespace troupe
