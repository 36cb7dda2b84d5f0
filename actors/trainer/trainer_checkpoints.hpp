#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "troupe/trainer.hpp"

namespace troupe {

/// The checkpoints of a trainer's runs, in folders `checkpoint-000001` and so on in one folder: `checkpoint.json`,
/// `tensors.safetensors` and, in `files`, what the function kept. Each appears whole or not at all.
class TrainerCheckpoints {
 public:
  /// @throws Error bad_file
  explicit TrainerCheckpoints(RunCheckpoints options);

  /// Of the newest; 0 where there is none.
  std::int64_t newest() const;
  /// @throws Error bad_file for what is missing or damaged
  Checkpoint read(std::int64_t number) const;
  /// Returns the path of the new folder, and removes what is older than is to be kept. @throws Error bad_file
  std::string write(const Checkpoint& checkpoint) const;
  std::string path_of(std::int64_t number) const;

 private:
  std::vector<std::int64_t> numbers() const;
  void prune() const;

  RunCheckpoints options_;
};

}  // namespace troupe
