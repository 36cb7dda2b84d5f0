#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// The suffix that a writer appends to the name of the previous checkpoint's folder while a new checkpoint replaces it.
/// Used only on file systems that cannot exchange two folders.
inline constexpr const char* kReplaced = ".tmp-old";

/// Returns the folder of the checkpoint that was saved at `path`. Usually the result is `path` itself, as an absolute
/// path. A writer may have been killed while it replaced the checkpoint: then nothing exists at `path`, and the result
/// is the folder of the previous checkpoint, whose name has the suffix kReplaced.
/// @throws Error bad_file if `path` cannot be the name of a folder.
std::string find_checkpoint(const std::string& path);

/// Cleans up after writers of checkpoints at `path` that were killed. If nothing exists at `path`, moves the previous
/// checkpoint back to `path`, if there is one. Removes the unfinished folders next to `path`, except those of live
/// writers.
/// @throws Error bad_file if `path` cannot be the name of a folder.
void tidy_checkpoint(const std::string& path);

/// Removes the checkpoint at `path`. If `path` is a link, removes only the link. If the process or the machine stops
/// during the call, either the checkpoint is still complete, or `tidy_checkpoint` can remove the remaining files.
/// @throws Error bad_file if a file or the folder cannot be removed.
void remove_checkpoint(const std::string& path);

/// The folder of a checkpoint that is being written. The folder is next to the path of the checkpoint and has a
/// temporary name, until `commit` moves it to this path. Therefore the checkpoint appears at its path complete or not
/// at all. A new checkpoint may replace an empty folder or another checkpoint, but nothing else.
class CheckpointFolder {
 public:
  /// Creates the folder under a temporary name. Also removes unfinished folders that killed writers of checkpoints at
  /// `path` have left.
  /// @throws Error bad_file, like all members, if something other than an empty folder or a checkpoint is at `path`, or
  /// a system call fails.
  explicit CheckpointFolder(const std::string& path);
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  /// Removes the folder if `commit` was not called.
  ~CheckpointFolder();

  /// Creates a file with this name in the folder. The file must not exist.
  WrittenFile create(const std::string& name) const;
  /// Writes the manifest and moves the folder to the path of the checkpoint. The caller must have made all other files
  /// durable before. When this function returns, the checkpoint is durable.
  /// @param manifest the text of the manifest
  void commit(std::string_view manifest);

 private:
  void make();
  bool hold();
  /// Both functions move the folder to the path of the checkpoint. If a previous checkpoint was there, they return its
  /// new path, so that the caller can remove it; otherwise they return an empty string.
  std::string put_in_place();
  std::string replace_without_exchange();
  std::string file(const std::string& name) const { return temporary_ + "/" + name; }

  std::string path_;
  std::string temporary_;                ///< the temporary path of the folder; empty after `commit` has moved the
                                         ///< folder
  std::optional<WrittenFile> manifest_;  ///< the manifest, locked as long as this object exists; the lock shows other
                                         ///< processes that the writer is alive
};

}  // namespace troupe
