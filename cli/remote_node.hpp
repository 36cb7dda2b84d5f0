#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe::cli {

/// Quotes a text, so that a shell takes it for one word.
std::string quote(const std::string& text);

/// A node's program on another host, started through a remote shell such as ssh. The program ends when this object is
/// destroyed or this process ends: the remote shell's standard input then ends, and a second process on the host kills
/// the program.
class RemoteNode {
 public:
  /// Runs `command` on a host: starts the remote shell with the arguments `remote_shell HOST SCRIPT`. The remote shell
  /// ignores SIGINT, so that Ctrl-C does not end it before the driver. @throws Error system
  RemoteNode(std::string host, const std::vector<std::string>& remote_shell, const std::vector<std::string>& command);

  const std::string& host() const { return host_; }
  /// Returns the descriptor of the program's output, which is readable when there is output to print; -1 at the end of
  /// the output.
  int output() const { return output_.get(); }
  /// Prints available output to standard error. Each line begins with the host's name.
  void pass_on();

  /// Returns true once the program on the host has been started.
  bool reached() const { return reached_; }
  /// Returns true once the remote shell has ended.
  bool ended() { return shell_.wait(std::chrono::milliseconds(0)); }
  /// Returns the exit status of the remote shell, which is that of the program.
  int exit_status() const { return shell_.exit_status(); }
  const std::string& last_line() const { return last_line_; }

  /// Tells the program to end; `ended` returns true once it has.
  void stop() { input_.reset(); }

 private:
  ChildProcess start(const std::vector<std::string>& remote_shell, const std::string& script);
  void print(const std::string& line);

  std::string host_;
  FileDescriptor input_;   ///< our end for writing; closing it ends the program
  FileDescriptor output_;  ///< our end for reading
  ChildProcess shell_;     ///< declared after both pipes, because it is started with them
  std::string unfinished_;
  std::string last_line_;
  bool reached_ = false;
};

}  // namespace troupe::cli
