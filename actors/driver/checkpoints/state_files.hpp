#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/driver/checkpoints/checkpoints.hpp"
#include "actors/driver/state_access.hpp"
#include "troupe/callback.hpp"

namespace troupe {

/// Saves the state of a run in files, and loads it: periodic checkpoints, and the files that a call names. A checkpoint
/// contains all vectors of one version of the state, in canonical order, and a manifest with the number of steps.
class StateFiles {
 public:
  /// Locks the run's folder of checkpoints, if it has one.
  /// @throws Error as the constructor of Checkpoints does
  StateFiles(Run& run, RunMembers& members, const NodeRecovery& nodes, StateAccess& state);

  /// Writes the committed version to the folder `path`.
  void save(const std::string& path);
  /// Loads the checkpoint at `path`. The run continues from its state.
  void load(const std::string& path);
  /// Writes a checkpoint to the run's folder, and returns its path.
  /// @param metric the metric of the checkpoint, for the option `keep_best`
  std::string checkpoint(std::optional<double> metric);
  /// Returns the checkpoints that were written to disk since the last call, in order.
  std::vector<CheckpointInfo> take_written() { return std::exchange(written_, {}); }

  // See Checkpoints. These functions do nothing if the run has no folder.
  CheckpointReport advance(std::int64_t before, std::int64_t step, double seconds) noexcept;
  void throw_final();
  void finish() noexcept;
  /// Blocks until the current checkpoint, if there is one, is on disk or has failed, and unlocks the folder.
  void close() { checkpoints_.reset(); }

 private:
  /// Provides the content of the run's checkpoints to class Checkpoints.
  class Source;

  void write(const std::string& path);

  Run& run_;
  RunMembers& members_;
  const NodeRecovery& nodes_;
  StateAccess& state_;
  std::vector<CheckpointInfo> written_;
  std::unique_ptr<Checkpoints> checkpoints_;  ///< null if the options have no checkpoint folder
};

}  // namespace troupe
