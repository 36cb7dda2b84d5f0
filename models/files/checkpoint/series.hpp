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

/// Returns the step with the best metric according to the manifests; of equal ones the first. Returns nothing if no
/// readable manifest has a metric of this kind.
/// @param best kHighest or kLowest
std::optional<std::int64_t> best_step(const std::vector<SavedStep>& saved, const std::string& best);

/// The folder of one run's checkpoints. Each checkpoint has its own folder, such as `step-00001234`. Other files are
/// left alone.
class CheckpointSeries {
 public:
  explicit CheckpointSeries(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  /// Returns the path of this step's checkpoint, whether it exists or not.
  std::string path_of(std::int64_t step) const;
  /// Returns the checkpoints that `find_checkpoint` finds, newest first; none if there is no folder. Does not open the
  /// checkpoints.
  /// @throws Error bad_file if the folder cannot be read.
  std::vector<SavedStep> list() const;

  // For callers that hold the SeriesLock:

  /// Restores or removes leftovers of killed writers.
  void tidy() const;
  /// Removes checkpoints up to step `newest`, except the last `keep` of them and the one with the best metric. Retries
  /// removals that failed in an earlier call.
  /// @param best kHighest, kLowest, or empty: metrics do not count
  /// @throws Error bad_file, after trying all of them, if one could not be removed.
  void prune(std::int64_t newest, int keep, const std::string& best = {}) const;
  /// Renames a damaged checkpoint to a name that is not a checkpoint's. Returns false if that fails.
  bool set_aside(const SavedStep& damaged) const;
  /// For a run that has gone back to step `at` and continues with a checkpoint at step `first`. Renames existing
  /// checkpoints of later steps, so that they no longer count as checkpoints. @throws Error bad_file if the folder
  /// cannot be read.
  void branch(std::int64_t at, std::int64_t first) const;

 private:
  std::string folder_;
};

/// Keeps other runs from writing to the series during its lifetime. The lock ends with the process, however the process
/// ends.
class SeriesLock {
 public:
  /// Creates the folder if it does not exist. @throws Error in_use if another process holds the lock for one second,
  /// bad_file if a system call fails.
  explicit SeriesLock(const CheckpointSeries& series);

 private:
  FileDescriptor file_;
  UnlockAtEnd unlock_;
};

}  // namespace troupe
