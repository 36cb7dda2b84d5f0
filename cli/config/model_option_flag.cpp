#include "cli/config/model_option_flag.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"

namespace troupe::cli {
namespace {

[[noreturn]] void refuse_option(const std::string& text, const std::string& why) {
  throw_invalid("--model-option '" + printable(text) + "' " + why);
}

}  // namespace

std::pair<std::string, double> parse_model_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || !is_printable(text))
    refuse_option(text, "is not NAME=NUMBER, such as hidden=256");
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + equals + 1, last, number);
  if (error != std::errc{} || end != last || !std::isfinite(number))
    refuse_option(text, "has no number after its name");
  return {text.substr(0, equals), number};
}

nlohmann::json model_options_json(const std::vector<std::string>& texts) {
  auto options = nlohmann::json::object();
  for (const std::string& text : texts) {
    const auto [name, number] = parse_model_option(text);
    if (options.contains(name)) refuse_option(text, "is given twice");
    options[name] = number;
  }
  return options;
}

std::vector<std::string> model_option_texts(const nlohmann::json& object) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_number())
      throw_invalid("--model-option: '" + printable(name) + "' of a configuration is not a number");
    texts.push_back(name + "=" + value.dump());
  }
  return texts;
}

}  // namespace troupe::cli
