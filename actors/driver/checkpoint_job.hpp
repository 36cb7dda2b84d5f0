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
  int keep = 1;  ///< checkpoints that stay when it is there
  CheckpointManifest manifest;
  std::vector<TensorInfo> tensors;
};

/// Writes one checkpoint on a thread of its own, vector by vector as they are given. At most one waits while another is
/// written, so that a slow disk does not fill the store.
class CheckpointJob {
 public:
  /// @throws Error limit_reached where there is no thread
  explicit CheckpointJob(CheckpointPlan plan);
  /// Without the vectors that are missing, nothing is left on disk.
  ~CheckpointJob();
  CheckpointJob(const CheckpointJob&) = delete;
  CheckpointJob& operator=(const CheckpointJob&) = delete;

  /// Where it will lie.
  std::string path() const { return plan_.series.path_of(plan_.manifest.step); }
  std::int64_t step() const { return plan_.manifest.step; }

  /// The vector that it takes now; none while another waits, when all have been given, or when it has ended.
  std::optional<int> wanted() const;
  void give(HeldFloats vector);
  bool has_all() const;
  /// Whether it is on disk, or has failed.
  bool ended() const;
  /// Until it wants a vector or has ended.
  void wait();
  /// Why it failed, when it has ended.
  std::optional<Error> error() const;

 private:
  int total() const { return 1 + static_cast<int>(plan_.manifest.state.size()); }
  bool wants() const { return !ended_ && !waiting_ && given_ < total(); }
  void run();
  void write();
  /// Waits for the next vector; false when it is given up.
  bool take(HeldFloats& vector);

  const CheckpointPlan plan_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<HeldFloats> waiting_;
  int given_ = 0;
  bool given_up_ = false;
  bool ended_ = false;
  std::optional<Error> error_;
  std::thread thread_;
};

}  // namespace troupe
