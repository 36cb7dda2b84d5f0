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

/// Writes a checkpoint vector by vector, in canonical order: the weights, then each vector of `manifest.state`.
/// `commit` makes the folder appear at its path, complete, or not at all. It replaces only an empty folder or another
/// checkpoint.
class CheckpointWriter {
 public:
  /// Creates the folder of the checkpoint under a temporary name.
  /// @param manifest the members that the writer sets may be empty
  /// @param tensors the tensors of the weights; each state vector has the same shapes
  /// @param network ModelInfo::network
  /// @throws Error invalid_argument for names that files cannot contain; bad_file if the path holds something else or a
  /// system call fails.
  CheckpointWriter(const std::string& path, CheckpointManifest manifest, std::vector<TensorInfo> tensors,
                   std::string network = "");

  /// Writes the next tensors of the current vector: one or more whole tensors, up to the end of the vector.
  /// @param canonical the floats of these tensors
  /// @throws Error invalid_argument if all vectors have been added or if the floats do not end with a tensor; bad_file
  /// if writing fails.
  void add(std::span<const float> canonical);
  /// Writes the manifest and moves the checkpoint to its path. The checkpoint is durable when this function returns.
  /// @throws Error invalid_argument if a vector is missing, bad_file if writing fails.
  void commit();

 private:
  /// Creates a file and writes its header. Sets the size and the checksum of the header in `entry`.
  void start(const char* name, const std::vector<TensorInfo>& tensors, const std::string& network,
             CheckpointFile& entry);
  /// Checks that the floats can be the next tensors of the current vector.
  /// @throws Error invalid_argument otherwise
  void check(std::span<const float> canonical) const;

  std::vector<TensorInfo> tensors_;
  std::string network_;
  CheckpointManifest manifest_;
  std::size_t added_ = 0;          ///< number of complete vectors
  std::size_t tensors_added_ = 0;  ///< number of tensors added to the current vector
  CheckpointFolder folder_;
  std::optional<WrittenFile> file_;  ///< the file that is being written
};

}  // namespace troupe
