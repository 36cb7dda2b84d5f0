#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class ParseError;
}  // namespace CLI

namespace troupe::cli {

/// A program of commands. Plain pointers: where memory is scarce, nothing fails before there is somebody to say so.
struct Program {
  const char* name;
  const char* description;
  const char* examples;                          ///< below what --help lists
  void (*register_names)();                      ///< of models and functions that workers find by name
  void (*add_commands)(CLI::App&, int& status);  ///< `status` is the exit status, 0 unless a command sets it
};

/// How all options of a program behave. Before any is added.
void set_option_defaults(CLI::App& app);

/// What was typed that cannot be, with what was perhaps meant.
std::string describe(const CLI::App& app, const CLI::ParseError& error);

/// Runs it as what it was started as: a worker process, a node, or the command that its arguments name. What fails is
/// one line on standard error.
/// @return the exit status: what the command says, 2 for an error of code invalid_argument, and 1 for others
int run(const Program& program, int argc, char** argv);

}  // namespace troupe::cli
