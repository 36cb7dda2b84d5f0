#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// The suffix of the name that the folder of the previous checkpoint has while a new one replaces it. Used only on file
/// systems that cannot exchange two folders.
inline constexpr const char* kReplaced = ".tmp-old";

/// Returns the folder that contains the checkpoint of a path. Usually this is the path itself. If nothing exists at the
/// path, it may be the folder with the suffix kReplaced: a writer was killed while it replaced the checkpoint.
/// @throws Error bad_file for a path that does not name a folder.
std::string find_checkpoint(const std::string& path);

/// Cleans up after killed writers of this path: restores the previous checkpoint if nothing exists at the path, and
/// removes unfinished folders. Folders of live writers stay.
/// @throws Error bad_file for a path that does not name a folder.
void tidy_checkpoint(const std::string& path);

/// Removes a checkpoint. If the path is a link, removes only the link. If the process or the machine stops during the
/// call, either the checkpoint is still complete, or `tidy_checkpoint` can remove the rest.
/// @throws Error bad_file if a part could not be removed.
void remove_checkpoint(const std::string& path);

/// The folder of a checkpoint that is being written. The folder has a temporary name next to its path, until `commit`
/// moves it to the path. Therefore the checkpoint appears at the path complete or not at all. It may replace an empty
/// folder or another checkpoint, but nothing else.
class CheckpointFolder {
 public:
  /// Creates the folder under a temporary name. Also removes unfinished folders of killed writers of this path.
  /// @throws Error bad_file, like all members, if the path holds something else or a system call fails.
  explicit CheckpointFolder(const std::string& path);
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  /// Removes the folder if `commit` was not called.
  ~CheckpointFolder();

  /// Creates a file with this name in the folder. The file must not exist.
  WrittenFile create(const std::string& name) const;
  /// Writes the manifest and moves the folder to its path. Before the call, all other files must be durable. After the
  /// call, the checkpoint is durable.
  void commit(std::string_view manifest);

 private:
  void make();
  bool hold();
  /// Both move the folder to its path. They return the present path of the previous checkpoint, so that it can be
  /// removed; empty if there was none.
  std::string put_in_place();
  std::string replace_without_exchange();
  std::string file(const std::string& name) const { return temporary_ + "/" + name; }

  std::string path_;
  std::string temporary_;                ///< empty after the folder has been moved to its path
  std::optional<WrittenFile> manifest_;  ///< locked, which shows other processes that its writer is alive
};

}  // namespace troupe
