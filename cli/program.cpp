#include "cli/program.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/config/config_file.hpp"
#include "cli/config/config_keys.hpp"
#include "cli/config/print_config.hpp"
#include "cli/help.hpp"
#include "cli/run_options.hpp"
#include "runtime/printable.hpp"
#include "runtime/processes/limits.hpp"
#include "runtime/suggestion.hpp"
#include "troupe/log.hpp"
#include "troupe/sgd.hpp"
#include "troupe/version.hpp"

namespace troupe::cli {
namespace {

void check_output() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
    throw Error(ErrorCode::system, "cannot write to standard output");
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  return flags;
}

/// Returns a suggestion if `flag` is a name that other programs use for one of the command's options, such as --lr for
/// --learning-rate. Otherwise returns an empty text.
/// @param flags the names of the command's options
std::string known_elsewhere(const std::string& flag, const std::vector<std::string>& flags) {
  constexpr std::array<std::pair<std::string_view, const char*>, 24> kOthers{{{"--lr", "--learning-rate"},
                                                                              {"--bs", "--batch-size"},
                                                                              {"--batch", "--batch-size"},
                                                                              {"--wd", "--weight-decay"},
                                                                              {"--num-epochs", "--epochs"},
                                                                              {"--n-epochs", "--epochs"},
                                                                              {"--max-epochs", "--epochs"},
                                                                              {"--max-iter", "--steps"},
                                                                              {"--max-steps", "--steps"},
                                                                              {"--hold-out", "--validate"},
                                                                              {"--holdout", "--validate"},
                                                                              {"--test-size", "--validate"},
                                                                              {"--validation-split", "--validate"},
                                                                              {"--val-split", "--validate"},
                                                                              {"--random-state", "--seed"},
                                                                              {"--arch", "--model"},
                                                                              {"--optim", "--optimizer"},
                                                                              {"--gpus", "--device"},
                                                                              {"--amp", "--precision"},
                                                                              {"--num-workers", "--workers"},
                                                                              {"--nproc-per-node", "--workers"},
                                                                              {"--pretrained", "--load"},
                                                                              {"--criterion", "--loss"},
                                                                              {"--early-stopping", "--patience"}}};
  std::string name = flag;
  std::ranges::replace(name, '_', '-');
  for (const auto& [other, ours] : kOthers)
    if (other == name && std::ranges::find(flags, ours) != flags.end()) return std::string("; use '") + ours + "'";
  return "";
}

/// Checks and corrects the text of a number before CLI11 parses it. Returns an error message, or an empty text if the
/// number is valid. This is needed because CLI11 interprets an empty text as 0, and a number with a leading 0 as an
/// octal number.
std::string check_number(std::string& text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (text.size() == sign) return "an empty text is not a number";
  const std::size_t digits = std::min(text.find_first_not_of('0', sign), text.size());
  const bool zeros = digits > sign && digits < text.size() && text[digits] >= '0' && text[digits] <= '9';
  if (zeros) text.erase(sign, digits - sign);
  return "";
}

void check_numbers(CLI::App& app) {
  constexpr std::array kNumbers{"INT", "UINT", "FLOAT"};
  for (CLI::Option* const option : app.get_options()) {
    const std::string type = option->get_type_name();
    const bool number = std::ranges::any_of(kNumbers, [&](const char* each) { return type.starts_with(each); });
    if (number) option->transform(CLI::Validator(check_number, ""));
  }
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) check_numbers(*command);
}

/// Returns the command (or subcommand) that the user typed; `app` if the user typed no command.
const CLI::App& command_of(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

std::string what_is_wrong(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* const command = &command_of(app);
  const auto unexpected = app.remaining(true);
  if (command->get_require_subcommand_min() > 0 && !unexpected.empty())
    return "no command named '" + printable(unexpected.front()) + "'" +
           did_you_mean(unexpected.front(), commands_of(*command));
  const auto option = std::ranges::find_if(unexpected, [](const auto& each) { return each.starts_with("-"); });
  if (option == unexpected.end() || command->get_allow_extras())
    return error.what();  // the unexpected arguments may belong to another command
  const std::string flag = option->substr(0, option->find('='));
  const std::vector<std::string> flags = flags_of(*command);
  const std::string known = known_elsewhere(flag, flags);
  return "no option '" + printable(flag) + "'" + (known.empty() ? did_you_mean(flag, flags) : known);
}

/// Sets the log level of this process and, through an environment variable, of the processes that it starts.
void set_level(const std::string& name) {
  for (const LogLevel level : {LogLevel::info, LogLevel::warning, LogLevel::error})
    if (name == to_string(level)) set_log_level(level);
  ::setenv("TROUPE_LOG_LEVEL", name.c_str(), /*overwrite=*/1);
}

void add_log_level(CLI::App& app) {
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* command : below) add_log_level(*command);
  if (!below.empty()) return;
  app.add_option_function<std::string>("--log-level", set_level, "Lowest level of messages on standard error")
      ->check(one_of({"info", "warning", "error"}))
      ->default_str("info")
      ->configurable(false);
}

/// The exit status for an invalid command line, as in shells.
constexpr int kUsage = 2;

int run_command(const Program& program, int argc, char** argv) {
  int status = 0;
  CLI::App app(program.description);
  app.name(program.name);
  app.require_subcommand(1);
  app.footer(program.examples);
  app.set_version_flag("--version", TROUPE_VERSION);
  set_option_defaults(app);
  set_help(app);
  program.add_commands(app, status);
  add_config_options(app);
  add_log_level(app);
  check_numbers(app);
  try {
    auto arguments = expand_config(app, {argv + 1, argv + argc});
    std::reverse(arguments.begin(), arguments.end());  // CLI11 expects the reverse order
    app.parse(arguments);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorCode::invalid_argument, describe(app, error));
  } catch (const Error& error) {
    throw Error(error.code(), with_options(command_of(app), error.message()), error.where());
  }
  check_output();
  return status;
}

}  // namespace

void set_option_defaults(CLI::App& app) {
  app.option_defaults()->always_capture_default()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

std::string describe(const CLI::App& app, const CLI::ParseError& error) {
  const std::string what = what_is_wrong(app, error);
  return what + (what.ends_with('?') ? "" : ";") + " see --help";
}

int run(const Program& program, int argc, char** argv) {
  const auto tell = [&program]() -> std::ostream& { return std::cerr << program.name << ": "; };
  try {
    program.register_names();
    init(argc, argv);
    return run_command(program, argc, argv);
  } catch (const Error& error) {
    tell() << to_string(error.code()) << ": " << error.what() << '\n';
    if (error.code() == ErrorCode::invalid_argument) return kUsage;
  } catch (const std::bad_alloc&) {
    tell() << "limit_reached: " << no_memory("out of memory").what() << '\n';
  } catch (const std::exception& error) {
    tell() << error.what() << '\n';
  }
  return 1;
}

}  // namespace troupe::cli
