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
void to_json(nlohmann::json& json, const Schedule& schedule) {
  json = {
      {"kind", schedule.kind},   {"warmup_steps", schedule.warmup_steps}, {"step_size", schedule.step_size},
      {"gamma", schedule.gamma}, {"total_steps", schedule.total_steps},   {"final_fraction", schedule.final_fraction}};
  if (schedule.decay_steps != 0) json["decay_steps"] = schedule.decay_steps;
}

void from_json(const nlohmann::json& json, Schedule& schedule) {
  json.at("kind").get_to(schedule.kind);
  json.at("warmup_steps").get_to(schedule.warmup_steps);
  json.at("step_size").get_to(schedule.step_size);
  json.at("gamma").get_to(schedule.gamma);
  json.at("total_steps").get_to(schedule.total_steps);
  json.at("final_fraction").get_to(schedule.final_fraction);
  if (json.contains("decay_steps")) json["decay_steps"].get_to(schedule.decay_steps);
}

void to_json(nlohmann::json& json, const ParameterGroup& group) {
  json = {{"pattern", group.pattern}, {"learning_rate_factor", group.learning_rate_factor}};
  if (group.weight_decay) json["weight_decay"] = *group.weight_decay;
  if (group.frozen) json["frozen"] = true;
  if (group.dimensions != 0) json["dimensions"] = group.dimensions;
}

void from_json(const nlohmann::json& json, ParameterGroup& group) {
  json.at("pattern").get_to(group.pattern);
  json.at("learning_rate_factor").get_to(group.learning_rate_factor);
  if (json.contains("weight_decay")) group.weight_decay = json["weight_decay"].get<double>();
  if (json.contains("frozen")) json["frozen"].get_to(group.frozen);
  if (json.contains("dimensions")) json["dimensions"].get_to(group.dimensions);
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
