#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// The name of the file in a Trainer's checkpoint that contains the tensors that the user's function saved.
inline constexpr const char* kTensorsFile = "tensors.safetensors";
/// The prefix of the names of folders of a Trainer's checkpoints. A number follows the prefix.
inline constexpr const char* kTrainerCheckpoint = "checkpoint-";
/// Returns the number (1 or more) that follows kTrainerCheckpoint in `name`, the name of a folder. Returns 0 if `name`
/// is not the name of a Trainer's checkpoint, but for example of a temporary folder that a killed process has left.
std::int64_t trainer_checkpoint_number(const std::string& name);

/// Returns the path of the file of weights that `path` refers to. `path` may be the file itself, a checkpoint, or a
/// folder with checkpoints, of which the newest is used. In a checkpoint, the file is weights.safetensors or
/// tensors.safetensors.
/// @throws Error bad_file if `path` is a folder that is no checkpoint and contains none
std::string weights_file_of(const std::string& path);

/// Copies the file of weights of a checkpoint to the file `to`. The copy appears complete or not at all.
/// @throws Error bad_file if reading or writing fails
void copy_weights(const std::string& checkpoint, const std::string& to);

}  // namespace troupe
