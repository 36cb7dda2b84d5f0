#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/files/safetensors_header.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Among tensors that an Optimizer gave to a checkpoint, whose state of its own has names with a slash: bytes of what
/// ModelInfo::network says, a float each.
inline constexpr const char* kNetworkTensor = "optimizer/network";

/// A safetensors file, open for reading, whose header is well-formed.
class SafetensorsFile {
 public:
  /// @throws Error bad_file
  explicit SafetensorsFile(const std::string& path);

  const InputFile& file() const { return file_; }
  const StoredTensors& tensors() const { return header_.tensors; }
  /// What it says of its network; empty: nothing. See NetworkText.
  std::string network() const;
  /// Bytes before the first tensor.
  std::uint64_t header_bytes() const { return header_.data; }

  /// Checks that it holds exactly the tensors `expected`, in any order. PyTorch's NAME.num_batches_tracked may come
  /// with NAME.running_mean, and an Optimizer's state with kNetworkTensor.
  /// @throws Error model_mismatch naming a tensor that is missing, superfluous or of another shape.
  void require(const std::vector<TensorInfo>& expected) const;
  /// Whether it has this tensor, of this shape.
  bool has(const TensorInfo& wanted) const;
  /// Reads one of the required tensors; `out` is as long as it is. F16 and BF16 become the same numbers as floats.
  void read(const std::string& name, std::span<float> out) const;

 private:
  const StoredTensor& find(const TensorInfo& wanted) const;

  InputFile file_;
  SafetensorsHeader header_;
};

}  // namespace troupe
