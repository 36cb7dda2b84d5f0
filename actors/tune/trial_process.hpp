#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/fork/owning_process.hpp"
#include "runtime/processes/child_process.hpp"
#include "troupe/json.hpp"

namespace troupe::tune {

/// The part of the machine that belongs to a trial.
struct TrialShare {
  std::vector<int> cores;
  std::vector<int> devices;  ///< numbers of CUDA devices; empty: the trial sees all devices
};

/// The search's end of the connection with the process of a trial. The process sends lines of JSON until it ends;
/// `trial_run.cpp` contains the code of the process.
class TrialProcess {
 public:
  /// Starts this program again as the process of a trial, pinned to the cores of `share`. The process sees only the
  /// devices of `share`. The destructor kills the process.
  /// @param folder the folder of the trial, which contains its task
  /// @throws Error from ChildProcess; bad_file if the file for the output cannot be created in the trial's folder
  TrialProcess(const std::string& folder, const TrialShare& share);
  ~TrialProcess() { kill(); }
  TrialProcess(const TrialProcess&) = delete;
  TrialProcess& operator=(const TrialProcess&) = delete;

  /// Returns a descriptor that is readable if the process has sent data or has ended.
  int socket() const { return socket_.get(); }
  /// Returns the complete lines that have arrived from the process since the last call. Does not wait.
  /// @throws Error protocol if a line is not a JSON object, is nested too deep, or has more than 64 MiB
  std::vector<Json> take();
  /// Notifies the process that the search has processed its last report. After each report, the process waits for this
  /// answer before it continues.
  void answer_report() const noexcept;
  /// Returns true if no more lines will arrive. `take` detects the end of the lines, so call `take` first.
  bool has_ended() const { return !socket_; }
  /// Blocks until the process has exited, but at most ten seconds; then kills the process if it still runs. Returns the
  /// way in which the process ended as a text, such as "was ended by signal 9".
  std::string how_it_ended();
  /// Sends SIGTERM to the process, which tells the trial to end.
  void ask_to_end() noexcept;
  /// Kills the process and all processes of its process group, such as the trial's workers.
  void kill() noexcept;
  int pid() const { return child_.pid(); }

 private:
  TrialProcess(const std::string& folder, const TrialShare& share, std::pair<FileDescriptor, FileDescriptor> sockets);

  OwningProcess owner_;
  FileDescriptor socket_;
  ChildProcess child_;
  bool reaped_ = false;
  std::string said_;  ///< received bytes of a line that is not complete yet
};

}  // namespace troupe::tune
