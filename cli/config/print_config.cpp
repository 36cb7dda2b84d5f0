#include "cli/config/print_config.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/config/config_keys.hpp"
#include "cli/config/group_flag.hpp"

namespace troupe::cli {
namespace {

using nlohmann::ordered_json;

bool is_said(const CLI::Option* option) { return option->count() > 0; }

/// Returns whether the default value of an option must be left out of a configuration. It must be left out if the
/// option excludes an option that the user gave, or needs an option that the user did not give.
bool is_out_of_place(const CLI::Option& option) {
  const auto needed = option.get_needs();
  const auto excluded = option.get_excludes();
  return std::ranges::any_of(excluded, is_said) || !std::ranges::all_of(needed, is_said);
}

/// Returns the value of an option without a value (a flag) for a configuration: whether the user gave the flag. A flag
/// that was declared as `!--no-x` is inverted, so its value is false if the user gave it.
bool is_set(const CLI::Option& option) {
  if (!is_said(&option)) return false;
  const bool says_no = !option.get_fnames().empty();
  return option.as<bool>() != says_no;
}

/// Converts the text of an option to a JSON value. The result is a number if the option takes numbers and JSON can
/// represent this number; otherwise the result is the text.
ordered_json number_or_text(const CLI::Option& option, const std::string& text) {
  if (option.get_type_name().starts_with("TEXT")) return text;
  auto number = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  return number.is_number() ? number : ordered_json(text);
}

ordered_json list_of(const CLI::Option& option, const std::string& key) {
  auto list = ordered_json::array();
  for (const std::string& text : option.results())
    list.push_back(key == kGroupsKey ? group_json(text) : number_or_text(option, text));
  return list;
}

/// Returns the value of an option for a configuration; null if the configuration must not contain the option.
ordered_json value_of(const CLI::Option& option, const std::string& key) {
  if (is_flag(option)) return is_set(option);
  if (is_said(&option)) return is_list(option) ? list_of(option, key) : number_or_text(option, option.results().back());
  const std::string text = option.get_default_str();
  return text.empty() || is_out_of_place(option) ? ordered_json() : number_or_text(option, text);
}

/// Converts command-line arguments for the options of `other` to a configuration. `other` is a command whose options
/// the typed command also accepts. Returns null if an argument is not an option of `other`.
ordered_json said_to(const CLI::App& other, const std::vector<std::string>& words) {
  auto config = ordered_json::object();
  for (auto word = words.begin(); word != words.end(); ++word) {
    const std::size_t equals = std::min(word->find('='), word->size());
    const CLI::Option* option = word->starts_with("--") ? option_of(other, word->substr(2, equals - 2)) : nullptr;
    if (option == nullptr) return nullptr;
    const std::string key = key_of(*option);
    if (is_flag(*option)) {
      config[key] = equals == word->size() || word->substr(equals + 1) == "true";
      continue;
    }
    const bool joined = equals < word->size();
    if (!joined && word + 1 == words.end()) return nullptr;
    const std::string text = joined ? word->substr(equals + 1) : *++word;
    if (is_list(*option))
      config[key].push_back(key == kGroupsKey ? group_json(text) : number_or_text(*option, text));
    else
      config[key] = number_or_text(*option, text);
  }
  return config;
}

void print_config(const CLI::App& command, const ordered_json& more) {
  using nlohmann::json;
  auto config = config_of(command);
  config.update(more);
  std::printf("%s\n", config.dump(2, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace).c_str());
}

/// Adds the option `--print-config` to a command. If the user typed unknown arguments, no configuration is printed,
/// because CLI11 reports these arguments as an error afterwards.
void print_instead(CLI::App& command) {
  const std::string what = "Print all options as --config reads them, then exit";
  const CLI::Option* wanted = command.add_flag("--print-config", what)->configurable(false);
  command.parse_complete_callback([&command, wanted] {
    if (wanted->count() == 0) return;
    const CLI::App* other = other_command(command);
    const auto more = other == nullptr ? ordered_json::object() : said_to(*other, command.remaining());
    if (more.is_null() || (other == nullptr && command.remaining_size() > 0)) return;
    print_config(command, more);
    throw CLI::Success();
  });
}

}  // namespace

ordered_json config_of(const CLI::App& command) {
  auto config = ordered_json::object();
  for (const CLI::Option* option : command.get_options())
    if (const std::string key = key_of(*option); !key.empty())
      if (auto value = value_of(*option, key); !value.is_null()) config[key] = std::move(value);
  return config;
}

void add_config_options(CLI::App& app) {
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* command : below) add_config_options(*command);
  if (!below.empty()) return;
  const auto twice = [](const std::string&) { throw CLI::ValidationError("--config", "may be given once"); };
  app.add_option_function<std::string>(
         "--config", twice, "Take options from a JSON file, such as --print-config writes; typed options win")
      ->type_name("FILE")
      ->configurable(false);
  print_instead(app);
}

}  // namespace troupe::cli
