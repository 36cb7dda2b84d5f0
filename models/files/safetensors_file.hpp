#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_header.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The name of the tensor in which an Optimizer stores the description of the network in a checkpoint. The tensor
/// contains ModelInfo::network, one float for each byte. The Optimizer also stores its state in the checkpoint, in
/// tensors whose names contain a slash, too.
inline constexpr const char* kNetworkTensor = "optimizer/network";

/// A safetensors file that is open for reading and has a well-formed header.
class SafetensorsFile {
 public:
  /// @throws Error bad_file
  explicit SafetensorsFile(const std::string& path);

  const InputFile& file() const { return file_; }
  const StoredTensors& tensors() const { return header_.tensors; }
  /// Returns the description of the network that the file contains (see NetworkText); empty if there is none.
  std::string network() const;
  /// Returns the number of bytes before the first tensor.
  std::uint64_t header_bytes() const { return header_.data; }

  /// Checks that the file contains exactly the tensors `expected`, in any order. Two kinds of other tensors are
  /// allowed: PyTorch's NAME.num_batches_tracked if NAME.running_mean is expected, and the state of an optimizer if the
  /// file contains kNetworkTensor.
  /// @throws Error model_mismatch that names a tensor that is missing, unexpected or of another shape.
  void require(const std::vector<TensorInfo>& expected) const;
  /// Returns whether the file contains this tensor, as floats and in this shape.
  bool has(const TensorInfo& wanted) const;
  /// Reads a tensor that the file contains. `out` must have the length of the tensor. F16 and BF16 become floats of the
  /// same value.
  void read(const std::string& name, std::span<float> out) const;

 private:
  const StoredTensor& find(const TensorInfo& wanted) const;

  InputFile file_;
  SafetensorsHeader header_;
};

}  // namespace troupe
