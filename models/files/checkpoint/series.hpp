#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"

namespace troupe {

/// One checkpoint of a series.
struct SavedStep {
  std::int64_t step = 0;
  std::string path;

  bool operator==(const SavedStep&) const = default;
};

/// Returns the step of the checkpoint with the best metric, according to the manifests. If several metrics are equal,
/// returns the first step. Returns nothing if no readable manifest has a metric with this value of
/// CheckpointMetric::best.
/// @param best kHighest or kLowest
std::optional<std::int64_t> best_step(const std::vector<SavedStep>& saved, const std::string& best);

/// The folder with the checkpoints of one run. Each checkpoint is a subfolder, such as `step-00001234`. Other files in
/// the folder are not changed.
class CheckpointSeries {
 public:
  explicit CheckpointSeries(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  /// Returns the path of this step's checkpoint, whether it exists or not.
  std::string path_of(std::int64_t step) const;
  /// Returns the checkpoints in the folder, newest first, including those that only `find_checkpoint` finds (with the
  /// suffix kReplaced). Returns none if the folder does not exist. Does not open the checkpoints.
  /// @throws Error bad_file if the folder cannot be read.
  std::vector<SavedStep> list() const;

  // The following functions may be called only while the caller holds the SeriesLock.

  /// Calls `tidy_checkpoint` for each checkpoint that a writer may have left unfinished.
  void tidy() const;
  /// Removes the checkpoints of step `newest` and earlier steps, except the newest `keep` of them and the one with the
  /// best metric. Retries removals that failed in an earlier call.
  /// @param best kHighest or kLowest; empty: metrics do not count
  /// @throws Error bad_file if a checkpoint could not be removed, after trying to remove all others.
  void prune(std::int64_t newest, int keep, const std::string& best = {}) const;
  /// Renames a damaged checkpoint, so that it no longer counts as a checkpoint. Returns false if renaming fails.
  bool set_aside(const SavedStep& damaged) const;
  /// Renames the checkpoints of later steps than `at`, except that of step `first`, so that they no longer count as
  /// checkpoints. Called for a run that has gone back to step `at` and whose next checkpoint is that of step `first`.
  /// The later checkpoints are not part of this run any more.
  /// @throws Error bad_file if the folder cannot be read.
  void branch(std::int64_t at, std::int64_t first) const;

 private:
  std::string folder_;
};

/// Prevents other runs from writing to the series, as long as this object exists. The lock ends with the process, even
/// if the process is killed.
class SeriesLock {
 public:
  /// Creates the folder if it does not exist, and locks it.
  /// @throws Error in_use if another process still holds the lock after one second, bad_file if a system call fails.
  explicit SeriesLock(const CheckpointSeries& series);

 private:
  FileDescriptor file_;
  UnlockAtEnd unlock_;
};

}  // namespace troupe
