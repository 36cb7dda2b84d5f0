#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/files/checkpoint/manifest.hpp"
#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A checkpoint, open for reading: it stays what it was when another takes its place. What is torn, damaged or missing
/// is an Error bad_file that names the file and the tensor.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);

  const CheckpointManifest& manifest() const { return files_.manifest; }
  /// SafetensorsFile::network of its weights.
  std::string network() const { return files_.weights.network(); }

  /// The weights in canonical order; `out` is as long as they are.
  /// @throws Error model_mismatch naming a tensor that is not as `expected`.
  void read_weights(const std::vector<TensorInfo>& expected, std::span<float> out) const;
  std::vector<float> weights(const std::vector<TensorInfo>& expected) const;
  /// Reads all tensors, and compares their checksums. Names all that are damaged, of the first file that has any.
  void verify() const;
  /// The tensors of a file whose checksums are not what they were, or that are missing, as the file calls them.
  std::vector<std::string> damaged_weights() const;
  std::vector<std::string> damaged_state() const;

  /// The vector of this name, one of `manifest().state`. @throws Error model_mismatch as `weights`
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
