#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_header.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// The name of a tensor that an Optimizer adds to a checkpoint, along with its state; the names of the state contain a
/// slash, too. The tensor holds the bytes of ModelInfo::network, one float per byte.
inline constexpr const char* kNetworkTensor = "optimizer/network";

/// A safetensors file that is open for reading and has a well-formed header.
class SafetensorsFile {
 public:
  /// @throws Error bad_file
  explicit SafetensorsFile(const std::string& path);

  const InputFile& file() const { return file_; }
  const StoredTensors& tensors() const { return header_.tensors; }
  /// The description of the network in the file; empty if there is none. See NetworkText.
  std::string network() const;
  /// The number of bytes before the first tensor.
  std::uint64_t header_bytes() const { return header_.data; }

  /// Checks that the file contains exactly the tensors `expected`, in any order. Also allowed are PyTorch's
  /// NAME.num_batches_tracked next to NAME.running_mean, and an optimizer's state next to kNetworkTensor.
  /// @throws Error model_mismatch that names a tensor that is missing, unexpected or of another shape.
  void require(const std::vector<TensorInfo>& expected) const;
  /// True if the file contains this tensor in this shape.
  bool has(const TensorInfo& wanted) const;
  /// Reads one of the required tensors. `out` must have the tensor's length. F16 and BF16 become floats of the same
  /// value.
  void read(const std::string& name, std::span<float> out) const;

 private:
  const StoredTensor& find(const TensorInfo& wanted) const;

  InputFile file_;
  SafetensorsHeader header_;
};

}  // namespace troupe
