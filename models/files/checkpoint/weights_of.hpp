#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// The file of a Trainer's checkpoint that contains the tensors that the user's function saved.
inline constexpr const char* kTensorsFile = "tensors.safetensors";
/// The start of the name of the folder of a Trainer's checkpoint. A number follows.
inline constexpr const char* kTrainerCheckpoint = "checkpoint-";
/// Returns the number, from 1, in the name of the folder of a Trainer's checkpoint. Returns 0 for other names, such as
/// that of a folder that a killed process left behind.
std::int64_t trainer_checkpoint_number(const std::string& name);

/// Returns the file of weights that a path names. The path may be that of the file itself, of a checkpoint, or of a
/// folder of checkpoints, of which the newest is used. In a checkpoint, the file is weights.safetensors or
/// tensors.safetensors.
/// @throws Error bad_file if the path is a folder that contains none of these
std::string weights_file_of(const std::string& path);

/// Copies the weights of a checkpoint to the file `to`. The file appears complete or not at all.
/// @throws Error bad_file if reading or writing fails
void copy_weights(const std::string& checkpoint, const std::string& to);

}  // namespace troupe
