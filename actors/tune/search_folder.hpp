#pragma once

#include <optional>
#include <string>

#include "actors/tune/trial_task.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// Where a search keeps what it does: `search.json` says what is searched, and each trial has a folder. One search at a
/// time.
class SearchFolder {
 public:
  /// @param search what is searched, by which another search is told apart. @throws Error in_use where a search runs,
  /// invalid_argument for a folder with one that is not to be gone on with, or is another; bad_file
  SearchFolder(const std::string& folder, bool resume, const Json& search);
  /// A temporary folder goes with it.
  ~SearchFolder();
  SearchFolder(const SearchFolder&) = delete;
  SearchFolder& operator=(const SearchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Another search may write there from now on.
  void release() {
    unlock_.release();
    lock_.reset();
  }
  TrialFiles files(int trial) const;

  /// A trial as it was left; none where it never began.
  std::optional<Trial> read(int trial) const;
  void write_task(const Trial& trial, const TrialTask& task) const;
  void write_end(const Trial& trial) const;

 private:
  void make(const std::string& folder);
  void lock();
  void compare(const Json& search) const;

  OwningProcess owner_;
  std::string path_;
  bool temporary_ = false;
  FileDescriptor lock_;
  UnlockAtEnd unlock_;
};

/// The folder of a trial's last checkpoint; empty where it has none.
std::string last_checkpoint(const TrialFiles& files);

}  // namespace troupe::tune
