#pragma once

// Files of tensors in the format safetensors, which Troupe's files of weights have, and which PyTorch's package
// safetensors reads and writes.

#include <span>
#include <string>
#include <vector>

#include "troupe/model.hpp"

namespace troupe {

/// Writes tensors as a safetensors file. Equal arguments produce identical files. The file appears complete or not at
/// all, and is durable when this function returns.
/// @param floats the floats of the tensors, one tensor after the other
/// @throws Error invalid_argument if `floats` does not have the length of the tensors, or the file format does not
/// allow their names; bad_file if the file cannot be written.
void write_safetensors(const std::string& path, const std::vector<TensorInfo>& tensors, std::span<const float> floats);

/// Returns the names and shapes of all tensors of a safetensors file, in order of their names.
/// @throws Error bad_file if the file is malformed, or a tensor is not F32, F16 or BF16. A tensor
/// NAME.num_batches_tracked may also be I64.
std::vector<TensorInfo> list_safetensors(const std::string& path);

/// Returns the floats of the tensors `expected`, one tensor after the other in this order. The file may store the
/// tensors in another order, but must not contain other tensors; NAME.num_batches_tracked may be left out of `expected`
/// if NAME.running_mean is in it. F16, BF16 and I64 elements become floats of the same value.
/// @throws Error bad_file if the file is malformed; model_mismatch if a tensor is missing, unexpected or of another
/// shape (the message names the tensor).
std::vector<float> read_safetensors(const std::string& path, const std::vector<TensorInfo>& expected);

}  // namespace troupe
