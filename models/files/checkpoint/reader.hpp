#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/files/checkpoint/manifest.hpp"
#include "models/files/safetensors_file.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// A checkpoint that is open for reading. If a writer replaces the checkpoint, this object continues to read the old
/// files. If files are truncated, damaged or missing, the functions throw Error bad_file; the message names the file
/// and the tensor.
class CheckpointReader {
 public:
  explicit CheckpointReader(const std::string& path);

  const CheckpointManifest& manifest() const { return files_.manifest; }
  /// Returns the description of the network (NetworkText as JSON) in the file of weights; empty if the file contains no
  /// description.
  std::string network() const { return files_.weights.network(); }

  /// Reads the weights in canonical order into `out`, which must have the length of all tensors in `expected` together.
  /// @param expected the tensors of the model, in canonical order
  /// @throws Error model_mismatch if the tensors in the file are not those in `expected`; the message names a tensor
  /// that differs.
  void read_weights(const std::vector<TensorInfo>& expected, std::span<float> out) const;
  std::vector<float> weights(const std::vector<TensorInfo>& expected) const;
  /// Reads all tensors of the checkpoint and verifies their checksums.
  /// @throws Error bad_file if tensors are damaged; the message names the first file with damaged tensors, and up to
  /// eight of these
  void verify() const;
  /// Return the names of the tensors of one file that are missing or whose checksums do not match: `damaged_weights`
  /// for the file of weights, `damaged_state` for the file of the optimizer's state.
  std::vector<std::string> damaged_weights() const;
  std::vector<std::string> damaged_state() const;

  /// Reads a state vector of the optimizer in canonical order into `out`, which must have the length of all tensors in
  /// `expected` together.
  /// @param vector the name of the state vector, one of `manifest().state`
  /// @param expected the tensors of the model, in canonical order
  /// @throws Error model_mismatch as `read_weights`
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
