#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/files/checkpoint/manifest.hpp"
#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A checkpoint that is open for reading. If another checkpoint replaces it, this object continues to read the previous
/// one. If files are truncated, damaged or missing, the functions throw Error bad_file that names the file and the
/// tensor.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);

  const CheckpointManifest& manifest() const { return files_.manifest; }
  /// Returns the description of the network in the file of weights; empty if there is none.
  std::string network() const { return files_.weights.network(); }

  /// Reads the weights in canonical order. `out` must have their length.
  /// @param expected the tensors of the model, in canonical order
  /// @throws Error model_mismatch that names a tensor that differs from `expected`.
  void read_weights(const std::vector<TensorInfo>& expected, std::span<float> out) const;
  std::vector<float> weights(const std::vector<TensorInfo>& expected) const;
  /// Reads all tensors and verifies their checksums.
  /// @throws Error bad_file that names up to eight damaged tensors of the first file that has any
  void verify() const;
  /// Return the names, as in the file, of the tensors that are missing or whose checksums do not match.
  std::vector<std::string> damaged_weights() const;
  std::vector<std::string> damaged_state() const;

  /// Reads a state vector in canonical order. `out` must have its length.
  /// @param vector the name of the vector, one of `manifest().state`
  /// @param expected the tensors of the model, in canonical order
  /// @throws Error model_mismatch like `read_weights`
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
