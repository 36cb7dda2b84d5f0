#include "cli/config/group_flag.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

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

/// The settings in a value of `--group`, by name.
using Settings = std::map<std::string, double, std::less<>>;

constexpr std::array kSettings{"weight_decay", "learning_rate_factor", "dimensions"};

void set(Settings& settings, const std::string& text, std::string_view setting) {
  const auto equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  if (equals == std::string_view::npos || std::ranges::find(kSettings, key) == kSettings.end())
    refuse(text, "'" + printable(setting) +
                     "' is none of weight_decay=NUMBER, learning_rate_factor=NUMBER and dimensions=NUMBER");
  const double number = parse_number(text, key, setting.substr(equals + 1));
  if (!settings.emplace(key, number).second) refuse(text, std::string(key) + " is given twice");
}

ParameterGroup group_of(const std::string& text, std::string pattern, const Settings& settings) {
  ParameterGroup group{.pattern = std::move(pattern)};
  if (const auto found = settings.find("weight_decay"); found != settings.end()) group.weight_decay = found->second;
  if (const auto found = settings.find("learning_rate_factor"); found != settings.end())
    group.learning_rate_factor = found->second;
  if (const auto found = settings.find("dimensions"); found != settings.end()) {
    if (!(found->second >= 1 && found->second <= 8) || found->second != std::floor(found->second))
      refuse(text, "dimensions must be a whole number from 1 to 8");
    group.dimensions = static_cast<int>(found->second);
  }
  return group;
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
    if (comma == std::string_view::npos) return group_of(text, text.substr(0, colon), settings);
    rest = rest.substr(comma + 1);
  }
}

nlohmann::ordered_json group_json(const std::string& text) {
  const ParameterGroup group = parse_group(text);
  nlohmann::ordered_json json{{"pattern", group.pattern}, {"learning_rate_factor", group.learning_rate_factor}};
  if (group.weight_decay) json["weight_decay"] = *group.weight_decay;
  if (group.dimensions > 0) json["dimensions"] = group.dimensions;
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
