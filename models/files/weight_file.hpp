#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Writes tensors as a safetensors file. The output is deterministic. The file appears complete or not at all, and is
/// durable when this function returns.
/// @param canonical the floats of the tensors, one tensor after the other
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

/// Does the same as read_safetensors for the weights of a network, which must be finite.
/// @throws Error as read_safetensors; also non_finite_weights that names the first tensor with NaN or infinity
std::vector<float> read_weights(const SafetensorsFile& file, const std::vector<TensorInfo>& expected);
/// Reads one tensor of the weights. `out` must have the length of the tensor.
/// @throws Error non_finite_weights if the tensor contains NaN or infinity
void read_weights(const SafetensorsFile& file, const TensorInfo& tensor, std::span<float> out);

/// Reads weights for a network whose last layer is new. Reads each tensor of the other layers that the file contains in
/// the same shape. Returns the names of all tensors that are not read; their floats in `canonical` do not change.
/// @param tensors all tensors of the network
/// @param canonical the weights of the network in canonical order
/// @throws Error model_mismatch if no tensor can be read; non_finite_weights as read_weights
std::vector<std::string> read_without_head(const SafetensorsFile& file, const std::vector<TensorInfo>& tensors,
                                           std::span<float> canonical);

}  // namespace troupe
