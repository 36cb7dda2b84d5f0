#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_header.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The name of the tensor that contains the description of the network (ModelInfo::network) in a checkpoint of a user's
/// function that trains with an Optimizer: one float for each byte. Such a checkpoint also contains the state of the
/// Optimizer, in tensors whose names contain a slash.
inline constexpr const char* kNetworkTensor = "optimizer/network";

/// A safetensors file that is open for reading. Its header is well-formed.
class SafetensorsFile {
 public:
  /// Opens the file and checks its header.
  /// @throws Error bad_file if the file cannot be read or its header is invalid
  explicit SafetensorsFile(const std::string& path);

  const InputFile& file() const { return file_; }
  const StoredTensors& tensors() const { return header_.tensors; }
  /// Returns the description of the network that the file contains (see NetworkText); empty if there is none.
  std::string network() const;
  /// Returns the number of bytes before the first tensor.
  std::uint64_t header_bytes() const { return header_.data; }

  /// Checks that the file contains exactly the tensors `expected`, in any order. Two kinds of other tensors are
  /// allowed. The file may contain PyTorch's NAME.num_batches_tracked if NAME.running_mean is expected. If the file
  /// contains kNetworkTensor, it may also contain the state of an Optimizer: tensors whose names contain a slash.
  /// @throws Error model_mismatch if a tensor is missing, unexpected or of another shape; the message names the tensor.
  void require(const std::vector<TensorInfo>& expected) const;
  /// Returns whether the file contains a tensor with the name and the shape of `wanted`.
  bool has(const TensorInfo& wanted) const;
  /// Reads the elements of the tensor `name`, which the file must contain, into `out`. `out` must have as many floats
  /// as the tensor has elements. Elements of other types become floats of the same value.
  void read(const std::string& name, std::span<float> out) const;

 private:
  const StoredTensor& find(const TensorInfo& wanted) const;

  InputFile file_;
  SafetensorsHeader header_;
};

}  // namespace troupe
