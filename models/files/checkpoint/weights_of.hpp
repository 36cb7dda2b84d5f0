#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// The file of tensors that a user's function saved in a Trainer's checkpoint. The folder's name is checkpoint-NUMBER.
inline constexpr const char* kTensorsFile = "tensors.safetensors";
inline constexpr const char* kTrainerCheckpoint = "checkpoint-";
/// Returns the number, from 1, of such a folder's name; 0 for other names, such as leftovers of a killed process.
std::int64_t trainer_checkpoint_number(const std::string& name);

/// Returns the file of weights that a path names. The path may name the file itself, a checkpoint's folder
/// (weights.safetensors or tensors.safetensors), or a folder of checkpoints (the newest one counts).
/// @throws Error bad_file if the folder contains none of these
std::string weights_file_of(const std::string& path);

/// Copies a checkpoint's weights to another place. The file appears complete or not at all. @throws Error bad_file
void copy_weights(const std::string& checkpoint, const std::string& to);

}  // namespace troupe
