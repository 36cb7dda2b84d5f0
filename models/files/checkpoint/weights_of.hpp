#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// Tensors that a function saved in a Trainer's checkpoint, whose folder is called checkpoint-NUMBER.
inline constexpr const char* kTensorsFile = "tensors.safetensors";
inline constexpr const char* kTrainerCheckpoint = "checkpoint-";
/// The number, from 1 on, of such a folder by its name; 0 for other names, such as what a process that was killed left.
std::int64_t trainer_checkpoint_number(const std::string& name);

/// The file of weights that a path names: a file itself, weights.safetensors or tensors.safetensors of a checkpoint's
/// folder, or that of the newest checkpoint in a folder of checkpoints. @throws Error bad_file for a folder without any
std::string weights_file_of(const std::string& path);

/// Writes a checkpoint's weights to another place; the file appears whole or not at all. @throws Error bad_file
void copy_weights(const std::string& checkpoint, const std::string& to);

}  // namespace troupe
