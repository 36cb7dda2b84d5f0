#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Writes tensors as a safetensors file. Equal arguments produce identical files. The file appears complete or not at
/// all, and is durable when this function returns.
/// @param canonical the floats of the tensors, one tensor after the other
/// @param network the description of the network (ModelInfo::network); empty: no description
/// @throws Error invalid_argument if `canonical` does not have the length of the tensors, or the file format does not
/// allow their names; bad_file if the file cannot be written.
void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                       std::span<const float> canonical, const std::string& network = "");

/// Returns the floats of the tensors `expected`, one tensor after the other in this order. The file may store the
/// tensors in another order, but must not contain other tensors, except those that SafetensorsFile::require allows. F16
/// and BF16 elements become floats of the same value.
/// @throws Error bad_file if the file is malformed; model_mismatch if a tensor is missing, unexpected or of another
/// shape (the message names the tensor).
std::vector<float> read_safetensors(const std::string& path, const std::vector<TensorInfo>& expected);

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
