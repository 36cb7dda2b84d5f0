#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"
#include "runtime/processes/child_process.hpp"
#include "troupe/json.hpp"

namespace troupe::tune {

/// The process of a trial, from the search's point of view: it sends lines of JSON until it ends.
class TrialProcess {
 public:
  /// Starts this program again on these cores. The destructor ends the process.
  /// @param folder of the trial, with its task
  /// @throws Error as ChildProcess; bad_file if the output file cannot be created in the folder
  TrialProcess(const std::string& folder, const std::vector<int>& cores);
  ~TrialProcess() { kill(); }
  TrialProcess(const TrialProcess&) = delete;
  TrialProcess& operator=(const TrialProcess&) = delete;

  /// Returns a descriptor that is readable when the process has sent a line or has ended.
  int socket() const { return socket_.get(); }
  /// Returns the lines that have arrived since the last call, without waiting.
  /// @throws Error protocol for a line that is not a JSON object
  std::vector<Json> take();
  /// Notifies the process that its report has been processed. The process waits for this answer.
  void answer_report() const noexcept;
  /// Returns true if no more lines will arrive.
  bool has_ended() const { return !socket_; }
  /// Returns the reason of the end of a process that has ended, such as "was ended by signal 9".
  std::string how_it_ended();
  /// Asks the process to end, by SIGTERM.
  void ask_to_end() noexcept;
  /// Kills the process and the processes that it has started.
  void kill() noexcept;
  int pid() const { return child_.pid(); }

 private:
  TrialProcess(const std::string& folder, const std::vector<int>& cores,
               std::pair<FileDescriptor, FileDescriptor> sockets);

  OwningProcess owner_;
  FileDescriptor socket_;
  ChildProcess child_;
  bool reaped_ = false;
  std::string said_;  ///< an incomplete line
};

}  // namespace troupe::tune
