#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace troupe {

/// How gradients become one update; `Options::strategy` says what each means.
enum class Strategy : std::uint8_t {
  automatic,  ///< sharded, or hierarchical among nodes
  sharded,
  driver,
  hierarchical,
  ring,
  parameter_server,
};

/// In order of Strategy.
inline constexpr std::array<const char*, 6> kStrategyNames{"auto",         "sharded", "driver",
                                                           "hierarchical", "ring",    "parameter-server"};
static_assert(static_cast<std::size_t>(Strategy::parameter_server) + 1 == kStrategyNames.size());

/// The strategy's name; "unknown" for a number that is none's.
const char* to_string(Strategy strategy);

/// @throws Error invalid_argument for a name that no strategy has.
Strategy strategy_of(const std::string& name);

}  // namespace troupe
