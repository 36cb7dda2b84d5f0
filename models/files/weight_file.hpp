#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Writes the tensors, whose floats lie in `canonical` one after the other, as a safetensors file: the same bytes for
/// the same weights. The file appears whole or not at all, and is on disk when this returns.
/// @param network ModelInfo::network
/// @throws Error invalid_argument when lengths or names do not fit, bad_file when it cannot be written.
void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors,
                       std::span<const float> canonical, const std::string& network = "");

/// Reads exactly the tensors `expected`, in any order in the file, and returns them in the order expected. PyTorch's
/// NAME.num_batches_tracked may come with NAME.running_mean. F16 and BF16 become floats of the same value.
/// @throws Error bad_file for a malformed file, model_mismatch naming a tensor that is missing, superfluous or of
/// another shape.
std::vector<float> read_safetensors(const std::string& path, const std::vector<TensorInfo>& expected);

/// The same of a network's weights. @throws Error non_finite_weights, too, naming the first tensor with NaN or infinity
std::vector<float> read_weights(const SafetensorsFile& file, const std::vector<TensorInfo>& expected);
/// One of them.
void read_weights(const SafetensorsFile& file, const TensorInfo& tensor, std::span<float> out);

/// Reads into `canonical` the weights that a file has in these shapes, but for those of the last layer. Returns the
/// names of the others, which stay as they are.
/// @throws Error model_mismatch where the file has none of the tensors
std::vector<std::string> read_without_head(const SafetensorsFile& file, const std::vector<TensorInfo>& tensors,
                                           std::span<float> canonical);

}  // namespace troupe
