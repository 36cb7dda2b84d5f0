#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "troupe/trainer.hpp"

namespace troupe {

/// The checkpoints of a trainer's runs, in folders `checkpoint-000001` and so on in one folder. Each has a
/// `checkpoint.json`, `tensors.safetensors` and, in `files`, the files that the function saved. A checkpoint appears
/// completely or not at all.
class TrainerCheckpoints {
 public:
  /// @throws Error bad_file
  explicit TrainerCheckpoints(RunCheckpoints options);

  /// Returns the number of the newest checkpoint; 0 if there is none.
  std::int64_t newest() const;
  /// @throws Error bad_file if a file is missing or damaged
  Checkpoint read(std::int64_t number) const;
  /// Returns the path of the new folder, and removes older checkpoints beyond the number to keep.
  /// @throws Error bad_file
  std::string write(const Checkpoint& checkpoint) const;
  std::string path_of(std::int64_t number) const;

 private:
  std::vector<std::int64_t> numbers() const;
  void prune() const;

  RunCheckpoints options_;
};

}  // namespace troupe
