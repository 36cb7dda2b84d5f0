#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/files/checkpoint/manifest.hpp"
#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A checkpoint that is open for reading. It does not change if another checkpoint replaces it. For files that are
/// torn, damaged or missing, the functions throw an Error bad_file that names the file and the tensor.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);

  const CheckpointManifest& manifest() const { return files_.manifest; }
  /// SafetensorsFile::network of the weights.
  std::string network() const { return files_.weights.network(); }

  /// Reads the weights in canonical order. `out` must have their length.
  /// @throws Error model_mismatch that names a tensor that differs from `expected`.
  void read_weights(const std::vector<TensorInfo>& expected, std::span<float> out) const;
  std::vector<float> weights(const std::vector<TensorInfo>& expected) const;
  /// Reads all tensors and verifies their checksums. The error names all damaged tensors of the first file with damage.
  void verify() const;
  /// Return the names of the tensors that are missing or whose checksums do not match, as the file names them.
  std::vector<std::string> damaged_weights() const;
  std::vector<std::string> damaged_state() const;

  /// Reads the state vector of this name, one of `manifest().state`. @throws Error model_mismatch like `weights`
  void read_state(const std::string& vector, const std::vector<TensorInfo>& expected, std::span<float> out) const;
  std::vector<float> state(const std::string& vector, const std::vector<TensorInfo>& expected) const;

 private:
  struct Files {
    explicit Files(const std::string& folder);
    CheckpointManifest manifest;
    SafetensorsFile weights;
    std::optional<SafetensorsFile> state;
  };
  static Files open(const std::string& path);

  Files files_;
};

}  // namespace troupe
