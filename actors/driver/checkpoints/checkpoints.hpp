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

/// A checkpoint's vectors in parts of whole tensors, one after the other.
class CheckpointParts {
 public:
  CheckpointParts(const std::vector<TensorInfo>& tensors, int vectors) : vectors_(vectors) {
    for (const TensorInfo& tensor : tensors) lengths_.push_back(tensor.size());
  }

  bool done() const { return begin_.vector == vectors_; }
  /// The next one: the fewest tensors that have so many floats, or what is left of the vector.
  VectorPart next(std::size_t floats) const {
    VectorPart part = begin_;
    for (std::size_t i = tensor_; i < lengths_.size() && part.floats < floats; ++i) part.floats += lengths_[i];
    return part;
  }
  /// It has been given.
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
  std::size_t tensor_ = 0;  ///< of the vector, that comes next
};

/// The run of which checkpoints are made. All may throw what rounds throw.
class CheckpointSource {
 public:
  CheckpointSource() = default;
  CheckpointSource(const CheckpointSource&) = delete;
  CheckpointSource& operator=(const CheckpointSource&) = delete;
  virtual ~CheckpointSource() = default;

  /// What is committed stays to be fetched until `unpin`.
  virtual Versions::PinId pin() = 0;
  virtual void unpin(Versions::PinId pin) = 0;
  virtual HeldFloats fetch(Versions::PinId pin, const VectorPart& part) = 0;
  /// Whether a part of a vector takes less than all of it.
  virtual bool gives_parts() const = 0;
  /// Whether steps leave all that is pinned as it is; else none is made before all has been fetched.
  virtual bool stays() const { return true; }
  /// Whether the checkpoint of this step is to find no space on the disk, for tests.
  virtual bool finds_full_disk(std::int64_t /*step*/) { return false; }
  virtual CheckpointManifest manifest(Versions::PinId pin) const = 0;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  /// ModelInfo::network
  virtual std::string network() const { return {}; }
  /// Whether the run's user has to know of what `fetch` has thrown, since it would not happen again unnoticed.
  virtual bool is_final(const Error& /*error*/) const { return false; }
  /// The checkpoint of what was pinned last is on disk.
  virtual void note_written(const std::string& /*path*/, std::int64_t /*step*/) {}
};

/// When checkpoints are made, and how far the one is that is being made; one at a time. It has the lock of its series.
///
/// Only the driver's thread can ask workers, and only between steps. So each step brings one part at most out of the
/// pinned version, as large as a twentieth of the step's time allows, and a job writes it meanwhile; the version is let
/// go with its last part.
class Checkpoints {
 public:
  /// @throws Error in_use where another run writes there, invalid_argument where there are checkpoints already that
  /// this run does not go on from.
  Checkpoints(const Options& options, std::unique_ptr<CheckpointSource> source);
  /// Finishes.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// To be called after each step that is committed. What fails is told in the report and, when it begins to fail, in
  /// the log; the run goes on.
  /// @param before steps that were committed before; a call may make several. @param seconds that the step took
  CheckpointReport advance(std::int64_t before, std::int64_t step, double seconds) noexcept;
  /// To be called before each step. @throws Error once, which is final and which `advance` has met: the step before was
  /// committed, so the next one has to say it.
  void throw_final();
  /// Makes one of what is committed, and returns where it lies. @throws Error when it cannot be made, or as
  /// `throw_final`.
  std::string make(std::optional<double> metric);
  /// The run has gone back, or elsewhere, to this step: when the next one is on disk, later ones of the series are no
  /// more of it. Finishes first.
  void branch(std::int64_t step) noexcept;
  /// Brings the one that is being made to its end.
  void finish() noexcept;
  /// What is pinned can be fetched no more: the one that is being made is dropped, unless all of it has been fetched.
  void abandon() noexcept;

 private:
  bool is_due(std::int64_t before, std::int64_t step) const;
  void begin(std::optional<double> metric);
  /// One part, in about so many seconds.
  void fetch_next(double seconds);
  void fetch_all();
  std::size_t floats_in(double seconds) const;
  void bring_to_end();
  /// Takes note of a job that has ended.
  void collect();
  void fail(const Error& error);
  void drop();
  void let_go();
  void tell();
  void tell_not_pruned(const std::optional<Error>& error);
  void leave_branch();

  const CheckpointOptions options_;
  const CheckpointSeries series_;
  const SeriesLock lock_;
  std::unique_ptr<CheckpointSource> source_;
  std::optional<Versions::PinId> pin_;
  std::unique_ptr<CheckpointJob> job_;
  std::optional<CheckpointParts> parts_;  ///< of what is pinned
  double floats_a_second_;                ///< of the last part
  int failed_fetches_ = 0;                ///< in a row
  Deadline next_;                         ///< with CheckpointOptions::every
  CheckpointReport report_;
  std::optional<Error> failure_;  ///< of the last one
  bool told_ = false;             ///< since the last that went well
  std::optional<Error> final_;    ///< that nobody has been told of
  bool told_not_pruned_ = false;
  std::optional<std::int64_t> branched_at_;  ///< until one of the new branch is on disk
};

}  // namespace troupe
