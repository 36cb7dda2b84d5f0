#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class ParseError;
}  // namespace CLI

namespace troupe::cli {

/// The description of a program with commands. All members are plain pointers, so that a Program can be made without
/// allocating memory. This is necessary because an error such as "out of memory" can be reported only inside `run`.
struct Program {
  const char* name;
  const char* description;
  const char* examples;      ///< examples, which `--help` prints at its end
  void (*register_names)();  ///< registers the models and functions that workers find by name
  /// Adds the commands to the parser; a command may set the program's exit status `status`, which is 0 at first.
  void (*add_commands)(CLI::App&, int& status);
};

/// Configures the parser for all options that are added after this call: help texts show the options' defaults, and the
/// last value of a repeated option wins.
void set_option_defaults(CLI::App& app);

/// Returns an error message about the invalid part of the command line. If a name is mistyped, the message suggests a
/// similar name.
std::string describe(const CLI::App& app, const CLI::ParseError& error);

/// Runs the process in the role in which it was started: as a worker process, as a node, or as the command in the
/// arguments. Prints an error as one line on standard error. Returns the exit status of the process.
int run(const Program& program, int argc, char** argv);

}  // namespace troupe::cli
