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

/// Divides the vectors of a checkpoint into parts, in order. Each part consists of whole tensors of one vector.
class CheckpointParts {
 public:
  CheckpointParts(const std::vector<TensorInfo>& tensors, int vectors) : vectors_(vectors) {
    for (const TensorInfo& tensor : tensors) lengths_.push_back(tensor.size());
  }

  /// Returns whether `pass` was called for all parts of all vectors.
  bool done() const { return begin_.vector == vectors_; }
  /// Returns the next part: the smallest number of tensors that together have at least `floats` floats. If the vector
  /// has fewer floats left, returns the remainder of the vector.
  VectorPart next(std::size_t floats) const {
    VectorPart part = begin_;
    for (std::size_t i = tensor_; i < lengths_.size() && part.floats < floats; ++i) part.floats += lengths_[i];
    return part;
  }
  /// Records that `part`, which `next` has returned, was fetched. The next part begins after it.
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
  std::size_t tensor_ = 0;  ///< the index of the vector's next tensor
};

/// An interface to the run from which checkpoints are made. All functions may throw the errors of `Rounds::ask`.
class CheckpointSource {
 public:
  CheckpointSource() = default;
  CheckpointSource(const CheckpointSource&) = delete;
  CheckpointSource& operator=(const CheckpointSource&) = delete;
  virtual ~CheckpointSource() = default;

  /// Pins the committed version, so that `fetch` can read it until `unpin` is called. Returns the id of the pin.
  virtual Versions::PinId pin() = 0;
  virtual void unpin(Versions::PinId pin) = 0;
  /// Returns a part of a vector of the pinned version, in canonical order.
  virtual HeldFloats fetch(Versions::PinId pin, const VectorPart& part) = 0;
  /// Returns whether it is cheaper to fetch a part of a vector than to fetch the whole vector.
  virtual bool gives_parts() const = 0;
  /// Returns whether later steps leave a pinned version unchanged. If it returns false, the whole version must be
  /// fetched before the next step.
  virtual bool stays() const { return true; }
  /// For tests: returns whether the checkpoint of this step must fail as if the disk were full.
  virtual bool finds_full_disk(std::int64_t /*step*/) { return false; }
  /// Returns the manifest for a checkpoint of the pinned version.
  virtual CheckpointManifest manifest(Versions::PinId pin) const = 0;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  /// Returns ModelInfo::network.
  virtual std::string network() const { return {}; }
  /// Returns whether the user must see this error of `fetch`, because later calls would not report it again.
  virtual bool is_final(const Error& /*error*/) const { return false; }
  /// Called when the checkpoint of the last pinned version is on disk.
  /// @param path the path of the checkpoint
  /// @param step the number of steps before the checkpoint
  virtual void note_written(const std::string& /*path*/, std::int64_t /*step*/) {}
};

/// Decides when checkpoints of a run are made, and makes one checkpoint at a time. Holds the lock of the run's series
/// of checkpoints.
///
/// Only the driver's thread can request vectors from workers, and only between steps. Therefore one part of the pinned
/// version is fetched after each step, which takes about 5% of the step's time. Meanwhile, a CheckpointJob writes the
/// previous part to disk. The version is unpinned after its last part was fetched.
class Checkpoints {
 public:
  /// @param options the run's options, with a checkpoint folder
  /// @param source the run from which checkpoints are made
  /// @throws Error in_use if another run writes to the folder; invalid_argument if the folder contains checkpoints and
  /// this run does not resume from them
  Checkpoints(const Options& options, std::unique_ptr<CheckpointSource> source);
  /// Blocks until the current checkpoint, if there is one, is on disk or has failed.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Starts a checkpoint if one is due, and fetches the next part of the current checkpoint. Must be called after each
  /// committed step. A failure does not end the run: the returned report contains it, and the first failure after a
  /// success is also logged.
  /// @param before the number of committed steps before the call of `DistributedSGD::step`, which may make several
  /// steps
  /// @param step the number of committed steps after the call
  /// @param seconds the time that the call took, in seconds
  CheckpointReport advance(std::int64_t before, std::int64_t step, double seconds) noexcept;
  /// Throws the final error (`CheckpointSource::is_final`) that `advance` has encountered, once. Must be called before
  /// each step: the step after which the error occurred was already committed, so the next step must report the error.
  /// @throws Error the final error
  void throw_final();
  /// Makes a checkpoint of the committed version, and returns its path when it is on disk.
  /// @param metric the metric of the checkpoint, for the option `keep_best`
  /// @throws Error if the checkpoint cannot be made, or the error of `throw_final`
  std::string make(std::optional<double> metric);
  /// Completes the current checkpoint. Then records that the run continues from another state, with `step` steps done.
  /// When the next checkpoint is on disk, checkpoints of the series with a higher number of steps are removed, because
  /// they belong to the abandoned states.
  void branch(std::int64_t step) noexcept;
  /// Blocks until the current checkpoint, if there is one, is on disk or has failed.
  void finish() noexcept;
  /// Drops the current checkpoint, unless all of its parts were already fetched. Must be called when the pinned version
  /// can no longer be fetched.
  void abandon() noexcept;

 private:
  bool is_due(std::int64_t before, std::int64_t step) const;
  void begin(std::optional<double> metric);
  /// Fetches one part of the current checkpoint. Chooses its size so that fetching takes about `seconds` seconds.
  void fetch_next(double seconds);
  void fetch_all();
  /// Returns the number of floats that can be fetched in `seconds` seconds.
  std::size_t floats_in(double seconds) const;
  /// Blocks until the current checkpoint is on disk or has failed.
  void bring_to_end();
  /// If the current job has ended, records its result and destroys the job.
  void collect();
  void fail(const Error& error);
  void drop();
  /// Unpins the version of the current checkpoint.
  void let_go();
  /// Logs the failure of the last checkpoint, unless a failure was already logged since the last successful checkpoint.
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
  double floats_a_second_;                ///< the speed of fetching in floats per second, measured with the last part
  int failed_fetches_ = 0;                ///< the number of consecutive failed fetches
  Deadline next_;                         ///< the time of the next checkpoint, if CheckpointOptions::every is set
  CheckpointReport report_;
  std::optional<Error> failure_;  ///< the failure of the last checkpoint; none if it succeeded
  bool told_ = false;             ///< a failure was logged since the last successful checkpoint
  std::optional<Error> final_;    ///< the final error that `throw_final` must throw
  bool told_not_pruned_ = false;
  /// The parameter of the last call of `branch`. Set until the next checkpoint is on disk.
  std::optional<std::int64_t> branched_at_;
};

}  // namespace troupe
