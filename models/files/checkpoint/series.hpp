#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"

namespace troupe {

/// One checkpoint of a series: its step and the path of its folder.
struct SavedStep {
  std::int64_t step = 0;
  std::string path;

  bool operator==(const SavedStep&) const = default;
};

/// Reads the manifests of the checkpoints in `saved`, and returns the step of the checkpoint with the best metric. If
/// several checkpoints have this metric, returns the lowest step. Ignores checkpoints without a readable manifest, and
/// those whose CheckpointMetric::best is not `best`; returns nothing if no others exist.
/// @param best kHighest or kLowest
std::optional<std::int64_t> best_step(const std::vector<SavedStep>& saved, const std::string& best);

/// The folder with the checkpoints of one run. Each checkpoint is a subfolder, such as `step-00001234`. Other files in
/// the folder are not changed.
class CheckpointSeries {
 public:
  explicit CheckpointSeries(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  /// Returns the path of the checkpoint of step `step`, whether the checkpoint exists or not.
  std::string path_of(std::int64_t step) const;
  /// Returns the checkpoints in the folder, in descending order of their steps. Finds them by the names of subfolders,
  /// without opening them. The result includes checkpoints whose folders now have the suffix kReplaced (see
  /// `find_checkpoint`). It is empty if the folder of the series does not exist.
  /// @throws Error bad_file if the folder cannot be read.
  std::vector<SavedStep> list() const;

  // The following functions may be called only while the caller holds a SeriesLock for this series.

  /// Calls `tidy_checkpoint` for each checkpoint of the series with a temporary folder, which a killed writer may have
  /// left.
  void tidy() const;
  /// Removes old checkpoints. Of the checkpoints up to step `newest`, keeps the `keep` with the highest steps and, if
  /// `best` is not empty, also the one with the best metric. Checkpoints of later steps stay. Also tries again to
  /// remove checkpoints that an earlier call could not remove.
  /// @param best kHighest or kLowest; empty: metrics are ignored
  /// @throws Error bad_file if a checkpoint could not be removed; the call still tries to remove all others.
  void prune(std::int64_t newest, int keep, const std::string& best = {}) const;
  /// Renames the folder of a damaged checkpoint, so that the folder no longer counts as a checkpoint. Returns false if
  /// renaming fails.
  bool set_aside(const SavedStep& damaged) const;
  /// Renames the checkpoints of steps after `at`, except the checkpoint of step `first`, so that they no longer count
  /// as checkpoints. Called after a run has gone back to step `at` and has saved its first checkpoint since then, that
  /// of step `first`. The older checkpoints of later steps do not belong to this run any more.
  /// @throws Error bad_file if the folder cannot be read.
  void branch(std::int64_t at, std::int64_t first) const;

 private:
  std::string folder_;
};

/// Locks a series of checkpoints: as long as this object exists, no other run can write checkpoints to the series. The
/// lock ends with the process, even if the process is killed.
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
