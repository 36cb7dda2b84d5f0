#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Writes tensors as a safetensors file. `canonical` holds their floats one after the other. The output is
/// deterministic. The file appears complete or not at all, and is durable when this returns.
/// @param network ModelInfo::network
/// @throws Error invalid_argument if lengths or names do not fit, bad_file if the file cannot be written.
void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                       std::span<const float> canonical, const std::string& network = "");

/// Reads exactly the tensors `expected`, in any order in the file, and returns them in the order of `expected`.
/// PyTorch's NAME.num_batches_tracked is allowed next to NAME.running_mean. F16 and BF16 become floats of the same
/// value.
/// @throws Error bad_file for a malformed file; model_mismatch that names a tensor that is missing, unexpected or of
/// another shape.
std::vector<float> read_safetensors(const std::string& path, const std::vector<TensorInfo>& expected);

/// Like read_safetensors, for a network's weights.
/// @throws Error also non_finite_weights that names the first tensor with NaN or infinity
std::vector<float> read_weights(const SafetensorsFile& file, const std::vector<TensorInfo>& expected);
/// Reads one tensor of the weights.
void read_weights(const SafetensorsFile& file, const TensorInfo& tensor, std::span<float> out);

/// Reads the weights of all layers but the last into `canonical`, as far as the file contains them in these shapes.
/// Returns the names of the other tensors, which do not change.
/// @throws Error model_mismatch if the file contains none of the tensors
std::vector<std::string> read_without_head(const SafetensorsFile& file, const std::vector<TensorInfo>& tensors,
                                           std::span<float> canonical);

}  // namespace troupe
