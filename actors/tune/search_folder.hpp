#pragma once

#include <optional>
#include <string>

#include "actors/tune/trial_task.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"
#include "runtime/fork/owning_process.hpp"
#include "troupe/tune.hpp"

namespace troupe::tune {

/// The folder in which a search stores its data. The file `search.json` in the folder describes the search, and each
/// trial has a subfolder. Only one search may use a folder at a time.
class SearchFolder {
 public:
  /// Opens the folder `folder`, or creates it, and locks it.
  /// @param folder the path of the folder; if the path is empty, a temporary folder is created
  /// @param resume if true, the folder may already contain a search, which is continued
  /// @param search the description of the search, which must be equal to the description in `search.json` if the search
  /// is resumed
  /// @throws Error in_use if another search uses the folder; invalid_argument if the folder contains a different
  /// search, or contains a search and `resume` is false; bad_file if the folder cannot be read or written
  SearchFolder(const std::string& folder, bool resume, const Json& search);
  /// Removes the folder if it is a temporary folder.
  ~SearchFolder();
  SearchFolder(const SearchFolder&) = delete;
  SearchFolder& operator=(const SearchFolder&) = delete;

  const std::string& path() const { return path_; }
  /// Releases the lock, so that other searches may use the folder.
  void release() {
    unlock_.release();
    lock_.reset();
  }
  /// Returns the paths of the files of trial `trial`.
  /// @param trial the number of the trial, from 1 on
  TrialFiles files(int trial) const;

  /// Reads the trial with the number `trial` from its folder. Returns std::nullopt if the trial was never started. If
  /// the trial has not ended, sets only the trial's number and config.
  /// @throws Error bad_file if a file is damaged
  std::optional<Trial> read(int trial) const;
  /// Creates the folder of `trial`, and writes `task` into this folder.
  void write_task(const Trial& trial, const TrialTask& task) const;
  /// Writes the result, state and error of `trial`, which has ended, into the trial's folder.
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

/// Returns the path of the folder with a trial's last checkpoint; an empty string if the trial has no checkpoint.
/// @param files the paths of the trial's files
std::string last_checkpoint(const TrialFiles& files);

}  // namespace troupe::tune
