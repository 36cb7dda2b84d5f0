#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe {

/// Reads the output of a shell command, whose input is empty. The destructor kills the command and waits for its end.
class CommandOutput {
 public:
  /// Starts the command with `/bin/sh -c`. @throws Error system if that fails
  explicit CommandOutput(std::string command);

  /// Waits for bytes and returns their number; 0: the command has ended with status 0.
  /// @throws Error bad_file, with the command, how it ended and the last line of its standard error, if the command
  /// ended with another status
  std::size_t read(std::span<std::byte> to);

 private:
  void read_errors();
  void check_end();

  std::string command_;
  FileDescriptor output_;
  FileDescriptor errors_;
  std::string last_errors_;
  ChildProcess child_;
};

}  // namespace troupe
