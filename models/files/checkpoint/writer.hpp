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

/// Writes a checkpoint vector by vector, in canonical order: the weights, then each vector of `manifest.state`. The
/// folder appears at its path whole, by `commit`, or not at all; it takes the place of no other folder than a
/// checkpoint's.
class CheckpointWriter {
 public:
  /// What the manifest has the writer say need not be set.
  /// @param network ModelInfo::network
  /// @throws Error invalid_argument for names that files cannot hold, bad_file when the path is something else's or the
  /// system refuses.
  CheckpointWriter(const std::string& path, CheckpointManifest manifest, std::vector<TensorInfo> tensors,
                   std::string network = "");

  /// The next tensors of the vector, or all of it. @throws Error invalid_argument for a vector too many, or for what
  /// ends elsewhere than with a tensor, bad_file when it cannot be written.
  void add(std::span<const float> canonical);
  /// It is on disk, and in its place, when this returns. @throws Error invalid_argument when a vector is missing,
  /// bad_file when it cannot be written.
  void commit();

 private:
  void start(const char* name, const std::vector<TensorInfo>& tensors, const std::string& network,
             CheckpointFile& entry);
  /// Refuses what cannot be the next.
  void check(std::span<const float> canonical) const;

  std::vector<TensorInfo> tensors_;
  std::string network_;
  CheckpointManifest manifest_;
  std::size_t added_ = 0;          ///< vectors
  std::size_t tensors_added_ = 0;  ///< of the next one
  CheckpointFolder folder_;
  std::optional<WrittenFile> file_;  ///< that vectors go to now
};

}  // namespace troupe
