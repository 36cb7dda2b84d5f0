#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe::cli {

/// Returns `text` in quotes, so that a shell interprets the text as one word.
std::string quote(const std::string& text);

/// A node's program on another host, which was started through a remote shell such as ssh. The program ends when this
/// object is destroyed or this process ends. In both cases the standard input of the remote shell ends, and then a
/// second process on the host kills the program.
class RemoteNode {
 public:
  /// Runs `command` on `host`: starts the command line `remote_shell HOST SCRIPT`, in which SCRIPT runs `command`. The
  /// remote shell ignores SIGINT, so that Ctrl-C does not end the remote shell before the driver. @throws Error system
  RemoteNode(std::string host, const std::vector<std::string>& remote_shell, const std::vector<std::string>& command);

  const std::string& host() const { return host_; }
  /// Returns the descriptor from which the program's output is read, for polling; -1 after the end of the output.
  int output() const { return output_.get(); }
  /// Prints the program's available output to standard error. Each printed line begins with the host's name.
  void pass_on();

  /// Returns true once the program on the host has been started.
  bool reached() const { return reached_; }
  /// Returns true once the remote shell has ended.
  bool ended() { return shell_.wait(std::chrono::milliseconds(0)); }
  /// Returns the exit status of the remote shell, which equals the exit status of the program.
  int exit_status() const { return shell_.exit_status(); }
  const std::string& last_line() const { return last_line_; }

  /// Makes the program end, and does not wait for its end. `ended` returns true once the remote shell has ended.
  void stop() { input_.reset(); }

 private:
  ChildProcess start(const std::vector<std::string>& remote_shell, const std::string& script);
  void print(const std::string& line);

  std::string host_;
  FileDescriptor input_;   ///< writing end of the remote shell's standard input; closing it ends the program
  FileDescriptor output_;  ///< reading end of the remote shell's output
  ChildProcess shell_;     ///< declared after `input_` and `output_`, because its initializer `start` sets both
  std::string unfinished_;
  std::string last_line_;
  bool reached_ = false;
};

}  // namespace troupe::cli
