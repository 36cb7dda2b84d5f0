#pragma once

#include <string>

namespace troupe {

/// Tensors that a function saved in a Trainer's checkpoint, whose folder is called checkpoint-NUMBER.
inline constexpr const char* kTensorsFile = "tensors.safetensors";
inline constexpr const char* kTrainerCheckpoint = "checkpoint-";

/// The file of weights that a path names: a file itself, weights.safetensors or tensors.safetensors of a checkpoint's
/// folder, or that of the newest checkpoint in a folder of checkpoints. @throws Error bad_file for a folder without any
std::string weights_file_of(const std::string& path);

/// Writes a checkpoint's weights to another place; the file appears whole or not at all. @throws Error bad_file
void copy_weights(const std::string& checkpoint, const std::string& to);

}  // namespace troupe
