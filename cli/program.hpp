#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class ParseError;
}  // namespace CLI

namespace troupe::cli {

/// The description of a program with commands. Its members are plain pointers, so that making it allocates no memory:
/// running out of memory is reported only later.
struct Program {
  const char* name;
  const char* description;
  const char* examples;      ///< text at the end of --help
  void (*register_names)();  ///< registers models and functions, which workers find by name
  void (*add_commands)(CLI::App&,
                       int& status);  ///< adds the commands; `status` is the exit status, 0 unless a command sets it
};

/// Sets how the options of a program behave: their defaults are shown in the help, and the last value of a repeated
/// option wins. Call this before any option is added.
void set_option_defaults(CLI::App& app);

/// Returns a sentence about the invalid part of the command line, with a suggestion if a name is mistyped.
std::string describe(const CLI::App& app, const CLI::ParseError& error);

/// Runs the process in the role in which it was started: a worker process, a node, or the command in its arguments.
/// Prints an error as one line on standard error.
int run(const Program& program, int argc, char** argv);

}  // namespace troupe::cli
