#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/files/checkpoint/folder.hpp"
#include "models/files/checkpoint/manifest.hpp"
#include "troupe/model.hpp"

namespace troupe {

/// Writes a checkpoint: first the weights, then each state vector in the order of `manifest.state`, all in canonical
/// order. The checkpoint appears at its path when `commit` is called, complete or not at all. A new checkpoint replaces
/// only an empty folder or another checkpoint.
class CheckpointWriter {
 public:
  /// Creates the folder of the checkpoint under a temporary name.
  /// @param path the path at which the checkpoint is to appear
  /// @param manifest the manifest. This class sets the members about the files and versions (see CheckpointManifest),
  /// so these may be empty
  /// @param tensors the tensors of the model, in canonical order; each state vector has tensors of the same shapes
  /// @param network the description of the network (ModelInfo::network); empty: no description
  /// @throws Error invalid_argument if the manifest is invalid or the files cannot contain tensors with these names;
  /// bad_file if something other than an empty folder or a checkpoint is at `path`, or a system call fails.
  CheckpointWriter(const std::string& path, CheckpointManifest manifest, std::vector<TensorInfo> tensors,
                   std::string network = "");

  /// Writes one or more whole tensors: those that follow the tensors written before, all of the same vector. After the
  /// last tensor of a vector, the next call begins the next vector.
  /// @param canonical the floats of the tensors to write, one tensor after the other
  /// @throws Error invalid_argument if all vectors have been written, or if the end of `canonical` is not the end of a
  /// tensor of the current vector; bad_file if writing fails.
  void add(std::span<const float> canonical);
  /// Writes the manifest and moves the checkpoint to its path. The checkpoint is durable when this function returns.
  /// @throws Error invalid_argument if not all vectors have been written, bad_file if writing fails.
  void commit();

 private:
  /// Creates the safetensors file `name` and writes its header for these tensors. Sets the size of the file and the
  /// checksum of its header in `entry`.
  void start(const char* name, const std::vector<TensorInfo>& tensors, const std::string& network,
             CheckpointFile& entry);
  /// Checks that `canonical` consists of one or more whole tensors that follow the tensors written before in the
  /// current vector.
  /// @throws Error invalid_argument if it does not
  void check(std::span<const float> canonical) const;

  std::vector<TensorInfo> tensors_;
  std::string network_;
  CheckpointManifest manifest_;
  std::size_t added_ = 0;          ///< number of vectors that are completely written
  std::size_t tensors_added_ = 0;  ///< number of tensors of the current vector that are written
  CheckpointFolder folder_;
  std::optional<WrittenFile> file_;  ///< the file that is being written
};

}  // namespace troupe
