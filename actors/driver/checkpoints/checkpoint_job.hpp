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

/// Describes a checkpoint of a series that is to be written.
struct CheckpointPlan {
  CheckpointSeries series;
  int keep = 1;           ///< the number of checkpoints to keep, including this one
  std::string keep_best;  ///< whether the highest or lowest metrics are the best, as in manifests; empty: none
  CheckpointManifest manifest;
  std::vector<TensorInfo> tensors;
  std::string network;     ///< ModelInfo::network
  bool full_disk = false;  ///< for tests: the disk is full after the first part
};

/// Writes one checkpoint on its own thread, part by part. While a part is written, at most one other part waits, so
/// that a slow disk does not fill the store.
class CheckpointJob {
 public:
  /// @throws Error limit_reached if no thread can be started
  explicit CheckpointJob(CheckpointPlan plan);
  /// If not all parts were given, abandons the checkpoint and leaves nothing on disk. Otherwise blocks until the
  /// checkpoint is written.
  ~CheckpointJob();
  CheckpointJob(const CheckpointJob&) = delete;
  CheckpointJob& operator=(const CheckpointJob&) = delete;

  /// Returns the path of the checkpoint.
  std::string path() const { return plan_.series.path_of(plan_.manifest.step); }
  std::int64_t step() const { return plan_.manifest.step; }

  /// Returns whether a part can be given now: no other part waits, not all parts were given, and the job has not ended.
  bool wants() const;
  /// Hands over the next part. Call it only if `wants`.
  /// @param last whether this is the last part
  void give(HeldFloats part, bool last);
  /// Returns whether the checkpoint is on disk or has failed.
  bool ended() const;
  /// Blocks until a part can be given or the job has ended.
  void wait();
  /// Returns the reason of a failure. Call it when the job has ended.
  std::optional<Error> error() const;
  /// Returns the reason why an older checkpoint could not be removed. Call it when the job has succeeded.
  std::optional<Error> not_pruned() const;

 private:
  bool takes() const { return !ended_ && !waiting_ && !has_all_; }
  void run();
  void write();
  void prune();
  /// Blocks until the next part is given, and returns it. Returns none after the last part, or if the job was
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
