#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/driver/checkpoint_job.hpp"
#include "collectives/state/versions.hpp"
#include "runtime/clock.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

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
  virtual HeldFloats fetch(Versions::PinId pin, int vector) = 0;
  virtual CheckpointManifest manifest(Versions::PinId pin) const = 0;
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  /// The checkpoint of what was pinned last is on disk.
  virtual void note_written(const std::string& /*path*/) {}
};

/// When checkpoints are made, and how far the one is that is being made; one at a time. It has the lock of its series.
///
/// Only the driver's thread can ask workers, and only between steps. So each step brings one vector at most out of the
/// pinned version, and a job writes it meanwhile; the version is let go with its last vector.
class Checkpoints {
 public:
  /// @throws Error in_use where another run writes there, invalid_argument where there are checkpoints already that
  /// this run does not go on from.
  Checkpoints(const Options& options, std::unique_ptr<CheckpointSource> source);
  /// Finishes.
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// To be called after each step that is committed. What fails is told in the report and, when it begins to fail, on
  /// standard error; the run goes on.
  CheckpointReport advance(std::int64_t step) noexcept;
  /// Makes one of what is committed, and returns where it lies. @throws Error when it cannot be made.
  std::string make();
  /// Brings the one that is being made to its end.
  void finish() noexcept;
  /// What is pinned can be fetched no more: the one that is being made is dropped, unless all of it has been fetched.
  void abandon() noexcept;

 private:
  bool is_due(std::int64_t step) const;
  void begin();
  void fetch_next();
  void bring_to_end();
  /// Takes note of a job that has ended.
  void collect();
  void fail(const Error& error);
  void drop();
  void let_go();
  void tell();

  const CheckpointOptions options_;
  const CheckpointSeries series_;
  const SeriesLock lock_;
  std::unique_ptr<CheckpointSource> source_;
  std::optional<Versions::PinId> pin_;
  std::unique_ptr<CheckpointJob> job_;
  int failed_fetches_ = 0;  ///< in a row
  Deadline next_;           ///< with CheckpointOptions::every
  CheckpointReport report_;
  std::optional<Error> failure_;  ///< of the last one
  bool told_ = false;             ///< since the last that went well
};

}  // namespace troupe
