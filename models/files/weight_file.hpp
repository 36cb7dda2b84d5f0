#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"
#include "troupe/safetensors.hpp"

namespace troupe {

/// Does the same as the overload in troupe/safetensors.hpp, and stores the description of a network, too.
/// @param network ModelInfo::network; empty: no description
void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                       std::span<const float> canonical, const std::string& network);

/// Does the same as read_safetensors, for the weights of a network. All weights must be finite.
/// @throws Error as read_safetensors; also non_finite_weights if a tensor contains NaN or infinity (the message names
/// the first such tensor)
std::vector<float> read_weights(const SafetensorsFile& file, const std::vector<TensorInfo>& expected);
/// Reads one tensor of the weights into `out`. The file must contain the tensor, and `out` must have its length.
/// @throws Error non_finite_weights if the tensor contains NaN or infinity
void read_weights(const SafetensorsFile& file, const TensorInfo& tensor, std::span<float> out);

/// Reads weights for a network whose last layer is new. Reads all tensors of the other layers that the file contains
/// with the same shape, and stores them in `canonical`. Returns the names of the tensors that are not read: those of
/// the last layer, and those that the file lacks. Their floats in `canonical` do not change.
/// @param tensors all tensors of the network, in canonical order
/// @param canonical the weights of the network in canonical order
/// @throws Error model_mismatch if no tensor can be read; non_finite_weights as read_weights
std::vector<std::string> read_without_head(const SafetensorsFile& file, const std::vector<TensorInfo>& tensors,
                                           std::span<float> canonical);

}  // namespace troupe
