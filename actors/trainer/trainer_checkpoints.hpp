#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "troupe/trainer.hpp"

namespace troupe {

/// Reads and writes the checkpoints of a trainer's runs. Checkpoints are folders `checkpoint-000001` and so on in one
/// folder. Each contains `checkpoint.json`, `tensors.safetensors` if there are tensors, and a folder `files` if the
/// function saved files. A checkpoint is written under a temporary name and renamed, so it appears completely or not at
/// all.
class TrainerCheckpoints {
 public:
  /// Creates the folder, if it does not exist.
  /// @throws Error invalid_argument if `options.keep` is not positive; bad_file if the folder cannot be created
  explicit TrainerCheckpoints(RunCheckpoints options);

  /// Returns the number of the newest checkpoint in the folder; 0 if there is none.
  std::int64_t newest() const;
  /// Reads the checkpoint with this number.
  /// @throws Error bad_file if a file is missing or damaged
  Checkpoint read(std::int64_t number) const;
  /// Writes a checkpoint, and removes the oldest checkpoints if there are more than `options.keep`. Returns the path of
  /// the new checkpoint's folder.
  /// @throws Error bad_file if the checkpoint cannot be written
  std::string write(const Checkpoint& checkpoint) const;
  std::string path_of(std::int64_t number) const;

 private:
  std::vector<std::int64_t> numbers() const;
  void prune() const;

  RunCheckpoints options_;
};

}  // namespace troupe
