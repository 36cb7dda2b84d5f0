#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe::cli {

/// Quotes a text as one word for a shell.
std::string quote(const std::string& text);

/// A program on another host, started by a remote shell. The program ends when this object or this whole process ends:
/// a second shell process kills it as soon as the remote shell's standard input ends.
class RemoteNode {
 public:
  /// Runs `remote_shell HOST ...` with `command` there. The remote shell ignores SIGINT. @throws Error system
  RemoteNode(std::string host, const std::vector<std::string>& remote_shell, const std::vector<std::string>& command);

  const std::string& host() const { return host_; }
  /// The descriptor of the output, readable when there is output to pass on; -1 at its end.
  int output() const { return output_.get(); }
  /// Prints available output to standard error, line by line with the host's name in front.
  void pass_on();

  /// Returns true once the program on the host has been started.
  bool reached() const { return reached_; }
  /// Returns true once the remote shell has ended.
  bool ended() { return shell_.wait(std::chrono::milliseconds(0)); }
  /// The exit status of the remote shell, which is the program's, and the last line of output.
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
