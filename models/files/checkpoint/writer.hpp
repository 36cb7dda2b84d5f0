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
  /// The members of the manifest that the writer sets may be left empty.
  /// @param network ModelInfo::network
  /// @throws Error invalid_argument for names that files cannot contain; bad_file if the path holds something else or a
  /// system call fails.
  CheckpointWriter(const std::string& path, CheckpointManifest manifest, std::vector<TensorInfo> tensors,
                   std::string network = "");

  /// Adds the next tensors of the current vector, or all of them. @throws Error invalid_argument if all vectors have
  /// been added or if the floats do not end with a tensor; bad_file if writing fails.
  void add(std::span<const float> canonical);
  /// Moves the checkpoint to its path. It is durable when this returns. @throws Error invalid_argument if a vector is
  /// missing, bad_file if writing fails.
  void commit();

 private:
  void start(const char* name, const std::vector<TensorInfo>& tensors, const std::string& network,
             CheckpointFile& entry);
  /// Throws if the floats cannot be the next tensors.
  void check(std::span<const float> canonical) const;

  std::vector<TensorInfo> tensors_;
  std::string network_;
  CheckpointManifest manifest_;
  std::size_t added_ = 0;          ///< complete vectors
  std::size_t tensors_added_ = 0;  ///< tensors of the next vector
  CheckpointFolder folder_;
  std::optional<WrittenFile> file_;  ///< the file that is being written
};

}  // namespace troupe
