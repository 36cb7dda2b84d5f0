#pragma once

#include <optional>
#include <string>

#include "actors/tune/trial_task.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// The folder in which a search stores its data: `search.json` describes the search, and each trial has its own folder.
/// Only one search may use a folder at a time.
class SearchFolder {
 public:
  /// @param search description of the search, used to detect another search
  /// @throws Error in_use if a search is running in the folder; invalid_argument if the folder has a search and
  /// `resume` is false or the search is another one; bad_file
  SearchFolder(const std::string& folder, bool resume, const Json& search);
  /// Removes a temporary folder.
  ~SearchFolder();
  SearchFolder(const SearchFolder&) = delete;
  SearchFolder& operator=(const SearchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Allows other searches to use the folder from now on.
  void release() {
    unlock_.release();
    lock_.reset();
  }
  TrialFiles files(int trial) const;

  /// Returns a trial's stored state; nothing if the trial never began.
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

/// Returns the folder of a trial's last checkpoint; empty if there is none.
std::string last_checkpoint(const TrialFiles& files);

}  // namespace troupe::tune
