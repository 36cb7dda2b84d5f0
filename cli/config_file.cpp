#include "cli/config_file.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/files/input_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe::cli {
namespace {

using nlohmann::json;

constexpr const char* kFlag = "--config";

[[noreturn]] void fail(const std::string& path, const std::string& message) {
  throw Error(ErrorCode::bad_file, message, {.object = path});
}

json read(const std::string& path) {
  const auto text = InputFile(path).read_all();
  try {
    json config = json::parse(reinterpret_cast<const char*>(text.data()),
                              reinterpret_cast<const char*>(text.data()) + text.size());
    if (!config.is_object()) fail(path, "a configuration is a JSON object");
    return config;
  } catch (const json::exception& error) {
    fail(path, error.what());
  }
}

bool is_typed(const std::vector<std::string>& typed, const CLI::Option& option) {
  const std::string flag = option.get_name();
  return std::any_of(typed.begin(), typed.end(),
                     [&](const std::string& each) { return each == flag || each.starts_with(flag + "="); });
}

/// What was typed wins over the options that it excludes, too.
bool is_overruled(const std::vector<std::string>& typed, const CLI::Option& option) {
  const auto excluded = option.get_excludes();
  return std::any_of(excluded.begin(), excluded.end(), [&](const auto* each) { return is_typed(typed, *each); });
}

/// Of an option that may be said again. What was typed comes in the place of the whole list.
void append_all(const CLI::Option& option, const std::string& path, const std::string& key, const json& value,
                const std::vector<std::string>& typed, std::vector<std::string>& out) {
  const json list = value.is_array() ? value : json::array({value});
  if (!std::all_of(list.begin(), list.end(), [](const json& each) { return each.is_string(); }))
    fail(path, "key '" + key + "' wants a string or a list of strings");
  if (is_typed(typed, option)) return;
  for (const json& each : list) out.insert(out.end(), {"--" + key, each.get<std::string>()});
}

void append(const CLI::App& command, const std::string& path, const std::string& key, const json& value,
            const std::vector<std::string>& typed, std::vector<std::string>& out) {
  const std::string flag = "--" + key;
  const CLI::Option* option = command.get_option_no_throw(flag);
  if (option == nullptr || flag == kFlag || key == "help")
    fail(path, "unknown key '" + printable(key) + "' for '" + command.get_name() + "'");
  if (option->get_expected_max() > 1) return append_all(*option, path, key, value, typed, out);
  const bool is_flag = option->get_expected_max() == 0;
  if (is_flag != value.is_boolean())
    fail(path, "key '" + key + "' wants " + (is_flag ? "true or false" : "a number or a string"));
  if (!is_flag && !value.is_string() && !value.is_number()) fail(path, "key '" + key + "' wants a number or a string");
  if (is_overruled(typed, *option)) return;
  if (is_flag) {
    if (value.get<bool>()) out.push_back(flag);
  } else if (value.is_string()) {
    out.insert(out.end(), {flag, value.get<std::string>()});
  } else {
    out.insert(out.end(), {flag, value.dump()});
  }
}

/// Removes `--config FILE` or `--config=FILE` and returns FILE. What stands behind `--` is another program's.
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
    if (at + 1 == arguments.end()) throw Error(ErrorCode::invalid_argument, "--config wants a file");
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
  const json config = read(*path);
  for (const auto& [key, value] : config.items()) append(*command, *path, key, value, typed, expanded);
  expanded.insert(expanded.end(), rest, typed.end());
  return expanded;
}

}  // namespace troupe::cli
