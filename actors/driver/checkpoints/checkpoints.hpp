#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/driver/checkpoints/checkpoint_job.hpp"
#include "actors/driver/transfers.hpp"
#include "collectives/state/versions.hpp"
#include "runtime/clock.hpp"
#include "troupe/model.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Divides a checkpoint's vectors into parts of whole tensors, in order.
class CheckpointParts {
 public:
  CheckpointParts(const std::vector<TensorInfo>& tensors, int vectors) : vectors_(vectors) {
    for (const TensorInfo& tensor : tensors) lengths_.push_back(tensor.size());
  }

  bool done() const { return begin_.vector == vectors_; }
  /// Returns the next part: as few tensors as have at least `floats` floats together, or the rest of the vector.
  VectorPart next(std::size_t floats) const {
    VectorPart part = begin_;
    for (std::size_t i = tensor_; i < lengths_.size() && part.floats < floats; ++i) part.floats += lengths_[i];
    return part;
  }
  /// Continues after this part, which `next` has returned.
  void pass(const VectorPart& part) {
    begin_.begin += part.floats;
    for (std::size_t floats = part.floats; tensor_ < lengths_.size() && lengths_[tensor_] <= floats; ++tensor_)
      floats -= lengths_[tensor_];
    if (tensor_ < lengths_.size()) return;
    tensor_ = 0;
    begin_ = {begin_.vector + 1, 0, 0};
  }

 private:
  std::vector<std::size_t> lengths_;
  int vectors_;
  VectorPart begin_;
  std::size_t tensor_ = 0;  ///< the next tensor of the vector
};

/// The run from which checkpoints are made, as an interface. All functions may throw the errors of `Rounds::ask`.
class CheckpointSource {
 public:
  CheckpointSource() = default;
  CheckpointSource(const CheckpointSource&) = delete;
  CheckpointSource& operator=(const CheckpointSource&) = delete;
  virtual ~CheckpointSource() = default;

  /// Keeps the committed version available to `fetch` until `unpin`.
  virtual Versions::PinId pin() = 0;
  virtual void unpin(Versions::PinId pin) = 0;
  /// Returns a part of a vector of the pinned version.
  virtual HeldFloats fetch(Versions::PinId pin, const VectorPart& part) = 0;
  /// Returns whether fetching a part of a vector costs less than fetching the whole vector.
  virtual bool gives_parts() const = 0;
  /// Returns whether steps leave a pinned version unchanged. If not, the whole version must be fetched before the next
  /// step.
  virtual bool stays() const { return true; }
  /// For tests: returns whether writing the checkpoint of this step must fail, as if the disk were full.
  virtual bool finds_full_disk(std::int64_t /*step*/) { return false; }
  virtual CheckpointManifest manifest(Versions::PinId pin) const = 0;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  /// Returns ModelInfo::network.
  virtual std::string network() const { return {}; }
  /// Returns whether an error of `fetch` must be reported to the user, because later calls would not show it again.
  virtual bool is_final(const Error& /*error*/) const { return false; }
  /// Called when the checkpoint of the last pinned version is on disk.
  virtual void note_written(const std::string& /*path*/, std::int64_t /*step*/) {}
};

/// Decides when checkpoints are made, and makes one checkpoint at a time. Holds the lock of its series.
///
/// Only the driver's thread can send requests to workers, and only between steps. Therefore each step fetches at most
/// one part of the pinned version, in about a twentieth of the step's time. Meanwhile, a job writes the previous part.
/// The version is unpinned after its last part was fetched.
class Checkpoints {
 public:
  /// @throws Error in_use if another run writes to the folder; invalid_argument if the folder has checkpoints and this
  /// run does not resume from them
  Checkpoints(const Options& options, std::unique_ptr<CheckpointSource> source);
  /// Completes the current checkpoint.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Starts a checkpoint if one is due, and fetches a part of the current checkpoint. Must be called after each
  /// committed step. Failures do not end the run: they are contained in the returned report, and the first one is also
  /// logged.
  /// @param before the number of steps committed before this call of `step`, which may make several
  /// @param step the number of steps committed now
  /// @param seconds the time that the step took
  CheckpointReport advance(std::int64_t before, std::int64_t step, double seconds) noexcept;
  /// Must be called before each step.
  /// @throws Error once, if `advance` has met a final error. The step of that call was already committed, so the next
  /// step must report the error.
  void throw_final();
  /// Makes a checkpoint of the committed version and returns its path.
  /// @throws Error if the checkpoint cannot be made, or as `throw_final`
  std::string make(std::optional<double> metric);
  /// Completes the current checkpoint. Then records that the run continues from another state, at this step. Once the
  /// next checkpoint is on disk, older checkpoints of later steps are removed from the series, because they belong to
  /// the abandoned branch.
  void branch(std::int64_t step) noexcept;
  /// Completes the current checkpoint.
  void finish() noexcept;
  /// Must be called when the pinned version can no longer be fetched. Drops the current checkpoint, unless all of its
  /// parts were already fetched.
  void abandon() noexcept;

 private:
  bool is_due(std::int64_t before, std::int64_t step) const;
  void begin(std::optional<double> metric);
  /// Fetches one part, of a size that takes about this many seconds.
  void fetch_next(double seconds);
  void fetch_all();
  /// Returns the size of a part that can be fetched in this many seconds.
  std::size_t floats_in(double seconds) const;
  /// Blocks until the current checkpoint is on disk or has failed.
  void bring_to_end();
  /// If the job has ended, records its result and removes it.
  void collect();
  void fail(const Error& error);
  void drop();
  /// Unpins the version of the current checkpoint.
  void let_go();
  /// Logs the failure of the last checkpoint, unless a failure was logged since the last success.
  void tell();
  void tell_not_pruned(const std::optional<Error>& error);
  void leave_branch();

  const CheckpointOptions options_;
  const CheckpointSeries series_;
  const SeriesLock lock_;
  std::unique_ptr<CheckpointSource> source_;
  std::optional<Versions::PinId> pin_;
  std::unique_ptr<CheckpointJob> job_;
  std::optional<CheckpointParts> parts_;  ///< the remaining parts of the pinned version
  double floats_a_second_;                ///< the speed of fetching, measured with the last part
  int failed_fetches_ = 0;                ///< the number of failed fetches in a row
  Deadline next_;                         ///< the time of the next checkpoint, if CheckpointOptions::every is set
  CheckpointReport report_;
  std::optional<Error> failure_;  ///< the failure of the last checkpoint, if it failed
  bool told_ = false;             ///< a failure was logged since the last success
  std::optional<Error> final_;    ///< a final error that `throw_final` has not thrown yet
  bool told_not_pruned_ = false;
  /// The step of the last `branch`, set until the next checkpoint is on disk.
  std::optional<std::int64_t> branched_at_;
};

}  // namespace troupe
