#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "troupe/trainer.hpp"

namespace troupe {

/// Reads and writes the checkpoints of a trainer's runs. The checkpoints of a run are folders with the names
/// `checkpoint-000001` and so on, inside one folder. Each checkpoint's folder contains `checkpoint.json`,
/// `tensors.safetensors` if the checkpoint has tensors, and a folder `files` if the user's function saved files. The
/// folder is written under a temporary name and then renamed, so a checkpoint is stored completely or not at all.
class TrainerCheckpoints {
 public:
  /// Creates the folder `options.folder`, if it does not exist.
  /// @throws Error invalid_argument if `options.keep` is not positive; bad_file if the folder cannot be created
  explicit TrainerCheckpoints(RunCheckpoints options);

  /// Returns the number of the newest checkpoint in `options.folder`; 0 if there is no checkpoint.
  std::int64_t newest() const;
  /// Reads the checkpoint with the number `number`.
  /// @throws Error bad_file if a file of the checkpoint is missing or damaged
  Checkpoint read(std::int64_t number) const;
  /// Writes a checkpoint, and then removes the oldest checkpoints, so that at most `options.keep` checkpoints remain.
  /// Returns the path of the new checkpoint's folder.
  /// @throws Error bad_file if the checkpoint cannot be written
  std::string write(const Checkpoint& checkpoint) const;
  std::string path_of(std::int64_t number) const;

 private:
  std::vector<std::int64_t> numbers() const;
  void prune() const;

  RunCheckpoints options_;
};

}  // namespace troupe
