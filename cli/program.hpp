#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// A program of commands. Plain pointers: where memory is scarce, nothing fails before there is somebody to say so.
struct Program {
  const char* name;
  const char* description;
  const char* examples;                          ///< below what --help lists
  void (*register_names)();                      ///< of models and functions that workers find by name
  void (*add_commands)(CLI::App&, int& status);  ///< `status` is the exit status, 0 unless a command sets it
};

/// Runs it as what it was started as: a worker process, a node, or the command that its arguments name. What fails is
/// one line on standard error.
/// @return the exit status: what the command says, 2 for an error of code invalid_argument, and 1 for others
int run(const Program& program, int argc, char** argv);

}  // namespace troupe::cli
