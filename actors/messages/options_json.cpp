#include "actors/messages/options_json.hpp"

#include <nlohmann/json.hpp>

#include "models/optimizers/schedule.hpp"
#include "runtime/json/bounded_json.hpp"
#include "troupe/error.hpp"

namespace troupe {

void to_json(nlohmann::json& json, ScheduleKind kind) { json = to_string(kind); }
void from_json(const nlohmann::json& json, ScheduleKind& kind) { kind = schedule_kind_of(json.get<std::string>()); }

// The JSON library writes each double as the shortest text from which the same double is read back. It cannot write
// infinities and NaN, but the optimizer's checks reject such options earlier.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Schedule, kind, warmup_steps, step_size, gamma, total_steps, final_fraction)

void to_json(nlohmann::json& json, const ParameterGroup& group) {
  json = {{"pattern", group.pattern}, {"learning_rate_factor", group.learning_rate_factor}};
  if (group.weight_decay) json["weight_decay"] = *group.weight_decay;
  if (group.frozen) json["frozen"] = true;
}

void from_json(const nlohmann::json& json, ParameterGroup& group) {
  json.at("pattern").get_to(group.pattern);
  json.at("learning_rate_factor").get_to(group.learning_rate_factor);
  if (json.contains("weight_decay")) group.weight_decay = json["weight_decay"].get<double>();
  if (json.contains("frozen")) json["frozen"].get_to(group.frozen);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptimizerSettings, kind, learning_rate, momentum, nesterov, weight_decay, beta1,
                                   beta2, epsilon, clip_norm, schedule, groups, options)

std::string to_json(const OptimizerSettings& options) { return nlohmann::json(options).dump(); }

OptimizerSettings optimizer_from_json(const std::string& text) {
  std::string fault;
  const nlohmann::json parsed = parse_bounded(text, {.deepest = 4}, fault);
  if (!fault.empty()) throw Error(ErrorCode::protocol, "optimizer options: the text " + fault);
  try {
    return parsed.get<OptimizerSettings>();
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::protocol, std::string("optimizer options: ") + error.what());
  } catch (const Error& error) {
    throw Error(ErrorCode::protocol, "optimizer options: " + error.message());
  }
}

std::string optimizer_kind(const std::string& text) {
  const auto json = parse_bounded(text);
  const auto kind = json.is_object() ? json.find("kind") : json.end();
  return kind != json.end() && kind->is_string() ? kind->get<std::string>() : std::string();
}

}  // namespace troupe
