#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe {

/// Runs a shell command with an empty standard input, and reads its standard output. The destructor kills the command
/// and waits for its end.
class CommandOutput {
 public:
  /// Starts the command with `/bin/sh -c`. @throws Error system if that fails
  explicit CommandOutput(std::string command);

  /// Waits for output of the command, stores at most `to.size()` bytes of the output in `to`, and returns the number of
  /// bytes. Returns 0 if the command has ended with status 0 and there is no more output.
  /// @throws Error bad_file if the command has ended with another status. The error contains the command, its status
  /// and the last line of its standard error.
  std::size_t read(std::span<std::byte> to);

 private:
  /// Reads the available bytes of the command's standard error, and keeps the last 4,096 bytes in `last_errors_`.
  void read_errors();
  /// Waits for the command to end. @throws Error bad_file unless its status is 0
  void check_end();

  std::string command_;
  FileDescriptor output_;
  FileDescriptor errors_;
  std::string last_errors_;
  ChildProcess child_;
};

}  // namespace troupe
