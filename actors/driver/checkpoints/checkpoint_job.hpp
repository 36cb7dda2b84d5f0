#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "actors/placements/state_home.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "models/files/checkpoint/series.hpp"
#include "troupe/error.hpp"

namespace troupe {

/// Describes a checkpoint that a CheckpointJob writes.
struct CheckpointPlan {
  CheckpointSeries series;
  int keep = 1;  ///< the number of checkpoints of the series to keep, including this one
  /// Which metrics are the best: `kHighest` or `kLowest`, as in manifests. Empty: no checkpoint is kept for its metric.
  std::string keep_best;
  CheckpointManifest manifest;
  std::vector<TensorInfo> tensors;
  std::string network;     ///< ModelInfo::network
  bool full_disk = false;  ///< for tests: whether to fail as if the disk were full after the first part
};

/// Writes one checkpoint on its own thread, part by part. While a part is being written, at most one further part waits
/// in memory. Therefore the object store does not fill up if the disk is slow.
class CheckpointJob {
 public:
  /// Starts the thread, which waits for the first part.
  /// @throws Error limit_reached if the thread cannot be started
  explicit CheckpointJob(CheckpointPlan plan);
  /// If all parts were given, blocks until the checkpoint is written. Otherwise abandons the checkpoint and leaves
  /// nothing of it on disk.
  ~CheckpointJob();
  CheckpointJob(const CheckpointJob&) = delete;
  CheckpointJob& operator=(const CheckpointJob&) = delete;

  /// Returns the path at which the checkpoint is written.
  std::string path() const { return plan_.series.path_of(plan_.manifest.step); }
  std::int64_t step() const { return plan_.manifest.step; }

  /// Returns whether `give` may be called now: no other part waits, the last part was not given yet, and the job has
  /// not ended.
  bool wants() const;
  /// Hands over the next part of the checkpoint. Call it only if `wants` returns true.
  /// @param last whether this is the last part
  void give(HeldFloats part, bool last);
  /// Returns whether the job has ended: the checkpoint is on disk, or has failed.
  bool ended() const;
  /// Blocks until `wants` returns true or the job has ended.
  void wait();
  /// Returns the error if the checkpoint has failed; otherwise none. Call it only after the job has ended.
  std::optional<Error> error() const;
  /// Returns the error if an older checkpoint could not be removed; otherwise none. Call it only after the checkpoint
  /// is on disk.
  std::optional<Error> not_pruned() const;

 private:
  bool takes() const { return !ended_ && !waiting_ && !has_all_; }
  void run();
  void write();
  void prune();
  /// Blocks until `give` is called, and returns the part. Returns none after the last part, or if the job was
  /// abandoned.
  std::optional<HeldFloats> take();

  const CheckpointPlan plan_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<HeldFloats> waiting_;
  bool has_all_ = false;
  bool given_up_ = false;  ///< the job was abandoned before all parts were given
  bool ended_ = false;
  std::optional<Error> error_;
  std::optional<Error> not_pruned_;
  std::thread thread_;
};

}  // namespace troupe
