#include "collectives/plan/strategy.hpp"

#include <algorithm>

#include "runtime/suggestion.hpp"
#include "troupe/error.hpp"

namespace troupe {

const char* to_string(Strategy strategy) {
  const auto index = static_cast<std::size_t>(strategy);
  return index < kStrategyNames.size() ? kStrategyNames[index] : "unknown";
}

Strategy strategy_of(const std::string& name) {
  const auto* const found = std::find(kStrategyNames.begin(), kStrategyNames.end(), name);
  if (found == kStrategyNames.end())
    throw Error(ErrorCode::invalid_argument, "unknown strategy '" + name +
                                                 "'; the strategies are 'auto', 'sharded', 'driver', 'hierarchical', "
                                                 "'ring' and 'parameter-server'" +
                                                 did_you_mean(name, {kStrategyNames.begin(), kStrategyNames.end()}));
  return static_cast<Strategy>(found - kStrategyNames.begin());
}

}  // namespace troupe
