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

/// What a checkpoint of a series is to be.
struct CheckpointPlan {
  CheckpointSeries series;
  int keep = 1;           ///< checkpoints that stay when it is there
  std::string keep_best;  ///< and which metrics are the best, as CheckpointOptions has it
  CheckpointManifest manifest;
  std::vector<TensorInfo> tensors;
  std::string network;     ///< ModelInfo::network
  bool full_disk = false;  ///< for tests: there is no space behind the first part
};

/// Writes one checkpoint on a thread of its own, part by part as they are given. At most one waits while another is
/// written, so that a slow disk does not fill the store.
class CheckpointJob {
 public:
  /// @throws Error limit_reached where there is no thread
  explicit CheckpointJob(CheckpointPlan plan);
  /// Without the parts that are missing, nothing is left on disk.
  ~CheckpointJob();
  CheckpointJob(const CheckpointJob&) = delete;
  CheckpointJob& operator=(const CheckpointJob&) = delete;

  /// Where it will lie.
  std::string path() const { return plan_.series.path_of(plan_.manifest.step); }
  std::int64_t step() const { return plan_.manifest.step; }

  /// Whether it takes a part now; not while another waits, when all have been given, or when it has ended.
  bool wants() const;
  /// @param last whether all have been given then
  void give(HeldFloats part, bool last);
  /// Whether it is on disk, or has failed.
  bool ended() const;
  /// Until it wants a part or has ended.
  void wait();
  /// Why it failed, when it has ended.
  std::optional<Error> error() const;
  /// Why an older checkpoint stays that was to go, when it has ended well.
  std::optional<Error> not_pruned() const;

 private:
  bool takes() const { return !ended_ && !waiting_ && !has_all_; }
  void run();
  void write();
  void prune();
  /// Waits for the next part; none behind the last one, and when it is given up.
  std::optional<HeldFloats> take();

  const CheckpointPlan plan_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<HeldFloats> waiting_;
  bool has_all_ = false;
  bool given_up_ = false;  ///< before it had all
  bool ended_ = false;
  std::optional<Error> error_;
  std::optional<Error> not_pruned_;
  std::thread thread_;
};

}  // namespace troupe
