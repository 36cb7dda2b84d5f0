#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/processes/child_process.hpp"

namespace troupe::cli {

/// `text` as one word of a shell.
std::string quote(const std::string& text);

/// A program on another host, started by a remote shell, that ends when this object or this whole program goes: a line
/// of shell beside it ends it as soon as the remote shell's standard input does.
class RemoteNode {
 public:
  /// Runs `remote_shell HOST ...` with `command` there. SIGINT does not reach the remote shell. @throws Error system
  RemoteNode(std::string host, const std::vector<std::string>& remote_shell, const std::vector<std::string>& command);

  const std::string& host() const { return host_; }
  /// Readable when there is something to pass on; -1 once all has been.
  int output() const { return output_.get(); }
  /// Prints what has come, line by line with the host's name in front, to standard error.
  void pass_on();

  /// True once the program on the host has been started.
  bool reached() const { return reached_; }
  /// True once the remote shell has ended.
  bool ended() { return shell_.wait(std::chrono::milliseconds(0)); }
  /// Of the remote shell, which has the program's; and what it printed last.
  int exit_status() const { return shell_.exit_status(); }
  const std::string& last_line() const { return last_line_; }

  /// Has the program end; `ended` tells when.
  void stop() { input_.reset(); }

 private:
  ChildProcess start(const std::vector<std::string>& remote_shell, const std::string& script);
  void print(const std::string& line);

  std::string host_;
  FileDescriptor input_;   ///< ours to write, and to close
  FileDescriptor output_;  ///< ours to read
  ChildProcess shell_;     ///< after the two, which it is started with
  std::string unfinished_;
  std::string last_line_;
  bool reached_ = false;
};

}  // namespace troupe::cli
