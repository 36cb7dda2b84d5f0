#include "actors/messages/options_json.hpp"

#include <nlohmann/json.hpp>

#include "troupe/error.hpp"

namespace troupe {

// nlohmann writes the shortest text that reads back as the same double. Infinities and NaN, which it cannot write,
// are refused by the optimizer before they come here.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Schedule, kind, warmup_steps, step_size, gamma, total_steps, final_fraction)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptimizerOptions, kind, learning_rate, momentum, nesterov, weight_decay, beta1,
                                   beta2, epsilon, schedule)

std::string to_json(const OptimizerOptions& options) { return nlohmann::json(options).dump(); }

OptimizerOptions optimizer_from_json(const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<OptimizerOptions>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::protocol, std::string("optimizer options: ") + error.what());
  }
}

}  // namespace troupe
