#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "runtime/file_descriptor.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe {

/// What a command of the shell writes. The command is killed, and waited for, when this goes; it reads nothing.
class CommandOutput {
 public:
  /// Starts it by `/bin/sh -c`. @throws Error system where that cannot be
  explicit CommandOutput(std::string command);

  /// Waits for bytes, and returns how many came; 0: the command has ended, and well.
  /// @throws Error bad_file that names the command, how it ended and the last line of its standard error, for one that
  /// ended with a status other than 0
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
