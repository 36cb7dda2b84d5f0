#pragma once

#include <optional>
#include <string>

#include "actors/tune/trial_task.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// The folder in which a search stores its data. The file `search.json` describes the search, and each trial has a
/// folder of its own. Only one search may use a folder at a time.
class SearchFolder {
 public:
  /// Opens or creates the folder and locks it.
  /// @param folder the path; if it is empty, a temporary folder is created
  /// @param resume if true, the folder may contain a search, which is continued
  /// @param search the description of the search; it is compared with the search in the folder
  /// @throws Error in_use if another search is running in the folder; invalid_argument if the folder contains a search
  /// and `resume` is false, or contains a different search; bad_file if the folder cannot be used
  SearchFolder(const std::string& folder, bool resume, const Json& search);
  /// Removes the folder if it is a temporary one.
  ~SearchFolder();
  SearchFolder(const SearchFolder&) = delete;
  SearchFolder& operator=(const SearchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Releases the lock, so that other searches may use the folder.
  void release() {
    unlock_.release();
    lock_.reset();
  }
  /// Returns the paths of a trial's files.
  /// @param trial the number of the trial, from 1 on
  TrialFiles files(int trial) const;

  /// Reads a trial from its folder; returns std::nullopt if the trial has never started. If the trial has not ended,
  /// only its number and config are set.
  /// @throws Error bad_file if a file is damaged
  std::optional<Trial> read(int trial) const;
  /// Creates the folder of a trial, and writes the task into it.
  void write_task(const Trial& trial, const TrialTask& task) const;
  /// Writes how a trial has ended into its folder.
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

/// Returns the path of the folder of a trial's last checkpoint; an empty string if there is none.
std::string last_checkpoint(const TrialFiles& files);

}  // namespace troupe::tune
