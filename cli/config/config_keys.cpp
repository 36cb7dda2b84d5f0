#include "cli/config/config_keys.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

namespace troupe::cli {
namespace {

/// Pairs of an option's name and another name of this option: the name of its member in the library's options, or its
/// key in a configuration before version 1.0. Options whose other name is the same are not listed.
constexpr std::array<std::pair<const char*, const char*>, 49> kOtherNames{{
    {"workers", "num_workers"},
    {"shards", "num_shards"},
    {"fault", "faults"},
    {"optimizer", "optimizer.kind"},
    {"learning-rate", "optimizer.learning_rate"},
    {"momentum", "optimizer.momentum"},
    {"nesterov", "optimizer.nesterov"},
    {"weight-decay", "optimizer.weight_decay"},
    {"clip-norm", "optimizer.clip_norm"},
    {"group", "optimizer.groups"},
    {"schedule", "optimizer.schedule.kind"},
    {"warmup-steps", "optimizer.schedule.warmup_steps"},
    {"schedule-steps", "optimizer.schedule.step_size"},
    {"schedule-gamma", "optimizer.schedule.gamma"},
    {"schedule-total", "optimizer.schedule.total_steps"},
    {"schedule-decay", "optimizer.schedule.decay_steps"},
    {"listen", "cluster.listen"},
    {"nodes", "cluster.num_nodes"},
    {"certs", "cluster.certs"},
    {"shared-certs", "cluster.shared_certificates"},
    {"streams", "cluster.streams"},
    {"fetch-every", "asynchronous.fetch_every"},
    {"push-every", "asynchronous.push_every"},
    {"max-staleness", "asynchronous.max_staleness"},
    {"staleness", "asynchronous.staleness"},
    {"warm-start", "asynchronous.warm_start"},
    {"record", "asynchronous.record"},
    {"replay", "asynchronous.replay"},
    {"history", "lbfgs.history"},
    {"tolerance", "lbfgs.tolerance"},
    {"max-evaluations", "line_search"},
    {"max-evaluations", "lbfgs.max_evaluations"},
    {"portions", "lbfgs.portions"},
    {"backup-portions", "lbfgs.backup_portions"},
    {"freeze", "lbfgs.freeze"},
    {"local-steps", "local.steps"},
    {"outer", "local.outer"},
    {"outer-learning-rate", "local.outer_learning_rate"},
    {"outer-momentum", "local.outer_momentum"},
    {"strategy", "collective"},
    {"checkpoint", "checkpoint.folder"},
    {"checkpoint-every", "checkpoint.every"},
    {"keep", "checkpoint.keep"},
    {"keep-best", "checkpoint.keep_best"},
    {"resume", "checkpoint.resume"},
    {"reshard", "checkpoint.reshard"},
    {"slice-owners", "parameter_servers"},
    {"device", "device_number"},
    {"nodes", "cluster.min_nodes"},
}};

/// Names of algorithms that have parameters. Error messages of the library refer to a parameter by the algorithm's name
/// and the parameter's name, such as "local.outer".
constexpr std::array<std::string_view, 4> kAlgorithms{"downpour", "ssp", "local", "lbfgs"};

bool runs_workers(const CLI::App& command) { return command.get_option_no_throw("--placement") != nullptr; }

/// Returns the other names of an option, from `kOtherNames`. If the command does not run workers, returns an empty
/// list.
std::vector<std::string> other_names(const CLI::App& command, const CLI::Option& option) {
  std::vector<std::string> names;
  if (!runs_workers(command)) return names;
  for (const auto& [own, other] : kOtherNames)
    if (option.get_lnames().front() == own) names.emplace_back(other);
  return names;
}

std::string with_underscores(std::string text) {
  std::ranges::replace(text, '-', '_');
  return text;
}

/// The text between the names of a struct and of its member in error messages, as in "CheckpointOptions::reshard".
const std::string kScope = "::";

/// Returns a map from names to options. A key is a name by which error messages may refer to an option. Its value is
/// the option as the user types it, such as "--batch-size". A name without a dot or an underscore could also be an
/// English word. Such a name is a key only with "::" before it, as in "CheckpointOptions::reshard".
std::map<std::string, std::string> flags_by_member(const CLI::App& command) {
  std::map<std::string, std::string> flags;
  const auto add = [&](const std::string& name, const std::string& flag) {
    if (name.find_first_of("_.") != std::string::npos) flags.try_emplace(name, flag);
    flags.try_emplace(kScope + name, flag);
  };
  for (const CLI::Option* option : command.get_options()) {
    const std::string key = key_of(*option);
    if (key.empty()) continue;
    const std::string flag = flag_of(*option);
    add(key, flag);
    for (const std::string& other : other_names(command, *option)) {
      add(other, flag);
      add(other.substr(other.rfind('.') + 1), flag);
    }
  }
  return flags;
}

/// Returns the entry of `flags` for a word of an error message; `flags.end()` if there is none. If the word begins with
/// the name of an algorithm, as in "local.steps", looks up only the part after this name ("steps").
std::map<std::string, std::string>::const_iterator flag_for(const std::map<std::string, std::string>& flags,
                                                            const std::string& word) {
  const std::size_t scope = word.rfind(kScope);
  const auto found = flags.find(scope == std::string::npos ? word : word.substr(scope));
  const std::size_t dot = word.find('.');
  const bool of_algorithm = dot != std::string::npos && std::ranges::count(kAlgorithms, word.substr(0, dot)) > 0;
  if (found != flags.end() || !of_algorithm) return found;
  std::string own = word.substr(dot + 1);
  std::ranges::replace(own, '.', '_');  // for example "outer.momentum" has the option --outer-momentum
  return flags.find(kScope + own);
}

/// Returns the length of the name of a member that starts at position `begin` of `text`, or 0 if no name starts there.
/// A name consists of letters, digits and underscores, with dots and colons between them.
std::size_t member_length(const std::string& text, std::size_t begin) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  if (begin > 0 && (is_letter(begin - 1) || text[begin - 1] == '-' || text[begin - 1] == '/')) return 0;
  std::size_t end = begin;
  while (is_letter(end) ||
         (end > begin && (text[end] == '.' || text[end] == ':') &&
          (is_letter(end + 1) || (text[end] == ':' && end + 1 < text.size() && text[end + 1] == ':'))))
    ++end;
  return end - begin;
}

bool is_configurable(const CLI::Option& option) { return option.get_configurable() && !option.get_lnames().empty(); }

}  // namespace

std::string key_of(const CLI::Option& option) {
  if (!is_configurable(option)) return "";
  return with_underscores(option.get_lnames().front());
}

std::string flag_of(const CLI::Option& option) { return "--" + option.get_lnames().front(); }

const CLI::Option* option_of(const CLI::App& command, const std::string& key) {
  const std::string wanted = with_underscores(key);
  const auto options = command.get_options([](const CLI::Option* each) { return is_configurable(*each); });
  const auto named = [&](const CLI::Option* each) {
    const auto others = other_names(command, *each);
    return std::ranges::count(others, wanted) > 0 ||
           std::ranges::any_of(each->get_lnames(), [&](const auto& name) { return with_underscores(name) == wanted; });
  };
  const auto found = std::ranges::find_if(options, named);
  return found == options.end() ? nullptr : *found;
}

const CLI::App* other_command(const CLI::App& command) {
  if (command.get_name() != "tune" || command.get_parent() == nullptr) return nullptr;
  const auto found =
      command.get_parent()->get_subcommands([](const CLI::App* each) { return each->get_name() == "train"; });
  return found.empty() ? nullptr : found.front();
}

bool is_section(const CLI::App& command, const std::string& key) {
  const std::string beginning = with_underscores(key) + ".";
  return runs_workers(command) && std::ranges::any_of(kOtherNames, [&](const auto& each) {
           return std::string_view(each.second).starts_with(beginning);
         });
}

std::vector<std::string> keys_of(const CLI::App& command) {
  std::vector<std::string> keys;
  for (const CLI::Option* option : command.get_options([](const CLI::Option* each) { return is_configurable(*each); }))
    keys.push_back(key_of(*option));
  return keys;
}

std::string with_options(const CLI::App& command, const std::string& message) {
  const std::map<std::string, std::string> flags = flags_by_member(command);
  std::string text;
  char quote = 0;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t length = quote != 0 ? 0 : member_length(message, at);
    if (length == 0) {
      const char letter = message[at++];
      text += letter;
      if (letter == quote)
        quote = 0;
      else if (quote == 0 && (letter == '"' || (letter == '\'' && (at == 1 || message[at - 2] == ' '))))
        quote = letter;
      continue;
    }
    const std::string word = message.substr(at, length);
    // Part of the value of an option, such as weight_decay=NUMBER, and not a name.
    const bool is_text = at + length < message.size() && message[at + length] == '=';
    const auto flag = flag_for(flags, word);
    text += is_text || flag == flags.end() ? word : flag->second;
    at += length;
  }
  return text;
}

bool is_list(const CLI::Option& option) { return option.get_expected_max() > 1; }
bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

}  // namespace troupe::cli
