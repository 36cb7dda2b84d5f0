#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class ParseError;
}  // namespace CLI

namespace troupe::cli {

/// A program of commands. Uses plain pointers, so that nothing can run out of memory before errors can be reported.
struct Program {
  const char* name;
  const char* description;
  const char* examples;                          ///< printed below the lists of --help
  void (*register_names)();                      ///< registers models and functions that workers find by name
  void (*add_commands)(CLI::App&, int& status);  ///< `status` is the exit status, 0 unless a command sets it
};

/// Sets the defaults of all options of a program. Call this before any option is added.
void set_option_defaults(CLI::App& app);

/// Describes the invalid part of the command line, with a suggestion for a typing error.
std::string describe(const CLI::App& app, const CLI::ParseError& error);

/// Runs the process in the role in which it was started: worker process, node, or the command that its arguments name.
/// An error is printed as one line on standard error.
/// @returns the exit status: the command's own, 2 for an error of code invalid_argument, or 1 for other errors
int run(const Program& program, int argc, char** argv);

}  // namespace troupe::cli
