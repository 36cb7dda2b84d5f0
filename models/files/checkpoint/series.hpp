#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"

namespace troupe {

/// A checkpoint of a series.
struct SavedStep {
  std::int64_t step = 0;
  std::string path;

  bool operator==(const SavedStep&) const = default;
};

/// The step of the best of these, by the metrics in their manifests; of equals the first. None where no manifest that
/// can be read has a metric of this kind.
/// @param best kHighest or kLowest
std::optional<std::int64_t> best_step(const std::vector<SavedStep>& saved, const std::string& best);

/// The folder of one run's checkpoints, each in a folder of its own: `step-00001234`. What else lies there is left
/// alone.
class CheckpointSeries {
 public:
  explicit CheckpointSeries(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  /// Where the checkpoint of this step lies, or will.
  std::string path_of(std::int64_t step) const;
  /// What `find_checkpoint` finds, the newest first; nothing where there is no folder. None has been looked into.
  /// @throws Error bad_file where the folder cannot be read.
  std::vector<SavedStep> list() const;

  // For who holds the series:

  /// Brings back, or removes, what killed writers left.
  void tidy() const;
  /// Of the checkpoints up to `newest` the last `keep` stay, and the one of the best metric.
  /// What an earlier call could not remove is tried again.
  /// @param best kHighest, kLowest, or empty: metrics do not count.
  /// @throws Error bad_file when all have been tried, where one could not be removed.
  void prune(std::int64_t newest, int keep, const std::string& best = {}) const;
  /// Gives a damaged checkpoint a name that is no checkpoint's. False where the system refuses.
  bool set_aside(const SavedStep& damaged) const;
  /// The run has gone back to step `at` and on another way from there, of which `first` is the first checkpoint: later
  /// ones that lie there get a name that is no checkpoint's. @throws Error bad_file where the folder cannot be read.
  void branch(std::int64_t at, std::int64_t first) const;

 private:
  std::string folder_;
};

/// Keeps other runs from writing to the series for as long as it lives, and no longer, however its process ends.
class SeriesLock {
 public:
  /// Makes the folder where there is none. @throws Error in_use where another keeps the lock for a second, bad_file
  /// where the system refuses.
  explicit SeriesLock(const CheckpointSeries& series);

 private:
  FileDescriptor file_;
  UnlockAtEnd unlock_;
};

}  // namespace troupe
