#include "cli/config/config_file.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/config/config_keys.hpp"
#include "cli/config/group_flag.hpp"
#include "cli/config/model_option_flag.hpp"
#include "cli/help_groups.hpp"
#include "cli/words.hpp"
#include "models/files/strict_json.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

using nlohmann::json;

constexpr const char* kFlag = "--config";
constexpr int kDeepestConfig = 8;
constexpr const char* kOldServersKey = "parameter_servers";

[[noreturn]] void fail(const std::string& path, const std::string& message,
                       ErrorCode code = ErrorCode::invalid_argument) {
  throw Error(code, message, {.object = path});
}

json read(const std::string& path) {
  json config = parse_strictly(path, "it", InputFile(path).read_text(kMostText), kDeepestConfig);
  if (!config.is_object()) fail(path, "a configuration must be a JSON object", ErrorCode::bad_file);
  return config;
}

bool is_typed(const std::vector<std::string>& typed, const CLI::Option& option) {
  const std::string flag = flag_of(option);
  return std::any_of(typed.begin(), typed.end(),
                     [&](const std::string& each) { return each == flag || each.starts_with(flag + "="); });
}

/// Returns whether the user typed an option that excludes `option`. If so, `option` must be ignored in the
/// configuration, because a typed option wins over the options that it excludes.
bool is_overruled(const std::vector<std::string>& typed, const CLI::Option& option) {
  const auto excluded = option.get_excludes();
  return std::any_of(excluded.begin(), excluded.end(), [&](const auto* each) { return is_typed(typed, *each); });
}

/// Converts a configuration to command-line arguments, which are inserted before the typed arguments.
class Expansion {
 public:
  /// @param typed_wins true: a typed option overrides the configuration; false: an option in both is an error
  Expansion(const CLI::App& command, std::string path, const std::vector<std::string>& typed, bool typed_wins = true)
      : command_(command), path_(std::move(path)), typed_(typed), typed_wins_(typed_wins) {}

  /// Converts the options in `object`, and appends the arguments to `words`.
  void add(const json& object) {
    has_servers_ = has_servers(object);
    add("", object);
  }

  const std::vector<std::string>& words() const { return words_; }

 private:
  /// @param section the keys of the objects around `object`, each followed by a dot, such as "optimizer."; empty: none
  void add(const std::string& section, const json& object) {
    for (const auto& [name, value] : object.items()) {
      const std::string key = section + name;
      if (value.is_object() && is_section(command_, key))
        add(key + ".", value);
      else
        add_option(key, value);
    }
  }

  /// Returns whether the selected algorithm has parameter servers. A typed `--algorithm` wins over the configuration.
  bool has_servers(const json& object) const {
    const auto said = object.find("algorithm");
    std::string name = typed_wins_ ? flag_value(typed_, "--algorithm") : "";
    if (name.empty() && said != object.end() && said->is_string()) name = said->get<std::string>();
    return name == "downpour" || name == "ssp";
  }

  /// Returns the option for a key of the configuration; null if there is none.
  const CLI::Option* find(const std::string& key) const {
    // Before version 1.0, the key `kOldServersKey` had two meanings. With an algorithm that has parameter servers, its
    // value is their number; otherwise it is the number of nodes that own slices.
    const std::string wanted = has_servers_ && key == kOldServersKey ? "servers" : key;
    if (const CLI::Option* const option = option_of(command_, wanted)) return option;
    const CLI::App* const other = other_command(command_);
    return other == nullptr ? nullptr : option_of(*other, wanted);
  }

  void add_option(const std::string& key, const json& value) {
    const CLI::Option* option = find(key);
    if (option == nullptr)
      fail(path_, "unknown key '" + printable(key) + "' for '" + command_.get_name() + "'" +
                      did_you_mean(key.substr(key.rfind('.') + 1), keys_of(command_)));
    const auto [said, first] = said_.try_emplace(option, key);
    if (!first) fail(path_, "key '" + key + "' sets the same option as '" + said->second + "'");
    const bool adds_up = key_of(*option) == kModelOptionKey;
    if (!typed_wins_ && !adds_up && (is_typed(typed_, *option) || is_overruled(typed_, *option)))
      fail(path_, "key '" + key + "' is also set on the command line, or excluded there");
    if (is_list(*option)) return add_list(*option, key, value);
    if (is_flag(*option) != value.is_boolean())
      refuse(key, is_flag(*option) ? "true or false" : "a number or a string");
    if (!value.is_boolean() && !value.is_string() && !value.is_number()) refuse(key, "a number or a string");
    if (is_overruled(typed_, *option)) return;
    // Leaves out an option that is valid only for some algorithms, if it has its default value. --print-config writes
    // the options of all algorithms to a configuration, but on a command line an option of another algorithm would be
    // an error.
    const bool says_nothing = !value.is_boolean() && is_of_an_algorithm(option->get_lnames().front()) &&
                              text_of(value) == option->get_default_str();
    if (says_nothing) return;
    if (!value.is_boolean()) return say(*option, text_of(value));
    if (value.get<bool>()) words_.push_back(flag_of(*option));
  }

  /// Converts the value of an option that is a list. If the user typed the option, the typed values replace the whole
  /// list.
  void add_list(const CLI::Option& option, const std::string& key, const json& value) {
    for (const std::string& text : texts_of(key_of(option), key, value))
      if (!typed_wins_ || !is_typed(typed_, option)) say(option, text);
  }

  std::vector<std::string> texts_of(const std::string& member, const std::string& key, const json& value) const {
    if (member == kModelOptionKey && value.is_object()) return model_option_texts(value);
    const bool groups = member == kGroupsKey;
    std::vector<std::string> texts;
    for (const json& each : value.is_array() ? value : json::array({value})) {
      if (!each.is_string() && !(groups && each.is_object()))
        refuse(key, groups ? "a list of objects or strings" : "a string or a list of strings");
      texts.push_back(each.is_string() ? text_of(each) : group_text(each));
    }
    return texts;
  }

  void say(const CLI::Option& option, const std::string& text) { words_.insert(words_.end(), {flag_of(option), text}); }

  static std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

  [[noreturn]] void refuse(const std::string& key, const std::string& wanted) const {
    fail(path_, "key '" + key + "' must be " + wanted);
  }

  const CLI::App& command_;
  const std::string path_;
  const std::vector<std::string>& typed_;
  const bool typed_wins_;
  bool has_servers_ = false;
  /// For each option that was converted: its key in the configuration.
  std::map<const CLI::Option*, std::string> said_;
  std::vector<std::string> words_;
};

/// Removes `--config FILE` or `--config=FILE` from the arguments, and returns FILE; none if there is no `--config`.
/// Arguments after `--` are not searched, because they belong to another program.
std::optional<std::string> take_config_path(std::vector<std::string>& arguments) {
  for (auto at = arguments.begin(); at != arguments.end(); ++at) {
    const std::string prefix = std::string(kFlag) + "=";
    if (at->starts_with(prefix)) {
      std::string path = at->substr(prefix.size());
      arguments.erase(at);
      return path;
    }
    if (*at == "--") break;
    if (*at != kFlag) continue;
    if (at + 1 == arguments.end()) throw Error(ErrorCode::invalid_argument, "--config needs a file");
    std::string path = *(at + 1);
    arguments.erase(at, at + 2);
    return path;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> expand_config(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> typed = arguments;
  const auto path = take_config_path(typed);
  if (!path) return arguments;
  const CLI::App* command = &app;
  std::vector<std::string> expanded;
  auto rest = typed.begin();
  for (; rest != typed.end(); ++rest) {
    const auto named = command->get_subcommands([&](const CLI::App* each) { return each->get_name() == *rest; });
    if (named.empty()) break;
    command = named.front();
    expanded.push_back(*rest);
  }
  Expansion expansion(*command, *path, typed);
  expansion.add(read(*path));
  expanded.insert(expanded.end(), expansion.words().begin(), expansion.words().end());
  expanded.insert(expanded.end(), rest, typed.end());
  return expanded;
}

std::vector<std::string> words_of(const CLI::App& command, const json& object, const std::string& origin,
                                  const std::vector<std::string>& typed) {
  Expansion expansion(command, origin, typed, /*typed_wins=*/false);
  expansion.add(object);
  return expansion.words();
}

}  // namespace troupe::cli
