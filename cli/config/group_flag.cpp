#include "cli/config/group_flag.hpp"

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw_invalid("--group '" + printable(text) + "': " + why);
}

double parse_number(const std::string& text, std::string_view key, std::string_view value) {
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size())
    refuse(text, "'" + printable(value) + "' is not a number for " + std::string(key));
  return number;
}

/// The settings in a value of `--group`.
struct Settings {
  std::optional<double> weight_decay = {};
  std::optional<double> learning_rate = {};  ///< factor by which the learning rate is multiplied
};

void set(Settings& group, const std::string& text, std::string_view setting) {
  const auto equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  if (equals == std::string_view::npos || (key != "weight_decay" && key != "learning_rate_factor"))
    refuse(text, "'" + printable(setting) + "' is neither weight_decay=NUMBER nor learning_rate_factor=NUMBER");
  const double number = parse_number(text, key, setting.substr(equals + 1));
  auto& own = key == "weight_decay" ? group.weight_decay : group.learning_rate;
  if (own) refuse(text, std::string(key) + " is given twice");
  own = number;
}

}  // namespace

ParameterGroup parse_group(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos)
    refuse(text, "give the settings of its tensors after the pattern, as in '*.bias:weight_decay=0'");
  Settings settings;
  for (std::string_view rest = std::string_view(text).substr(colon + 1);;) {
    const auto comma = rest.find(',');
    set(settings, text, rest.substr(0, comma));
    if (comma == std::string_view::npos)
      return {text.substr(0, colon), settings.weight_decay, settings.learning_rate.value_or(1)};
    rest = rest.substr(comma + 1);
  }
}

nlohmann::ordered_json group_json(const std::string& text) {
  const ParameterGroup group = parse_group(text);
  nlohmann::ordered_json json{{"pattern", group.pattern}, {"learning_rate_factor", group.learning_rate_factor}};
  if (group.weight_decay) json["weight_decay"] = *group.weight_decay;
  return json;
}

std::string group_text(const nlohmann::json& group) {
  const auto pattern = group.find("pattern");
  if (pattern == group.end() || !pattern->is_string())
    throw_invalid("--group: an object of a configuration needs a pattern, which is a string");
  std::string text = pattern->get<std::string>();
  char separator = ':';
  for (const auto& [key, value] : group.items()) {
    if (key == "pattern") continue;
    if (!value.is_number()) throw_invalid("--group: '" + printable(key) + "' of a configuration must be a number");
    text += separator + key + "=" + value.dump();
    separator = ',';
  }
  return text;
}

}  // namespace troupe::cli
