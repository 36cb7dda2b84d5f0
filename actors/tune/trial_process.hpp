#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"
#include "runtime/processes/child_process.hpp"
#include "troupe/json.hpp"

namespace troupe::tune {

/// The process of a trial, as the search sees it: what it says line by line, until it ends.
class TrialProcess {
 public:
  /// Starts this program again, on these cores. Ended with this object.
  /// @param folder of the trial, with its task. @throws Error as ChildProcess, bad_file where its output cannot lie
  /// there
  TrialProcess(const std::string& folder, const std::vector<int>& cores);
  ~TrialProcess() { kill(); }
  TrialProcess(const TrialProcess&) = delete;
  TrialProcess& operator=(const TrialProcess&) = delete;

  /// Readable when it has said something, or has ended.
  int socket() const { return socket_.get(); }
  /// What it has said since the last call, without waiting. @throws Error protocol for what is no JSON
  std::vector<Json> take();
  /// Tells it that its report has been dealt with, for which it waits.
  void answer_report() const noexcept;
  /// It says nothing more.
  bool has_ended() const { return !socket_; }
  /// Of one that has ended: such as "was ended by signal 9".
  std::string how_it_ended();
  /// Asks it to end, by SIGTERM.
  void ask_to_end() noexcept;
  /// With what it has started.
  void kill() noexcept;
  int pid() const { return child_.pid(); }

 private:
  TrialProcess(const std::string& folder, const std::vector<int>& cores,
               std::pair<FileDescriptor, FileDescriptor> sockets);

  OwningProcess owner_;
  FileDescriptor socket_;
  ChildProcess child_;
  bool reaped_ = false;
  std::string said_;  ///< what is no whole line yet
};

}  // namespace troupe::tune
