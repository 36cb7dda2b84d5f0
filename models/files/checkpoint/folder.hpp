#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// The suffix of the name of a folder that is being replaced.
inline constexpr const char* kReplaced = ".tmp-old";

/// Returns the folder of the checkpoint at this path. Usually this is the path itself. If a writer was killed on a file
/// system that cannot exchange folders, the checkpoint may be in a folder next to it.
/// @throws Error bad_file for a path that does not name a folder.
std::string find_checkpoint(const std::string& path);

/// Restores or removes the folders that killed writers of this path left behind. Folders of live writers stay.
/// @throws Error bad_file for a path that does not name a folder.
void tidy_checkpoint(const std::string& path);

/// Removes a checkpoint; for a link, removes only the link. If the process or the machine stops meanwhile, the
/// checkpoint remains complete, or `tidy_checkpoint` can remove the rest. @throws Error bad_file if a part could not be
/// removed.
void remove_checkpoint(const std::string& path);

/// The folder of a checkpoint that is being written. `commit` makes it appear at its path, complete, or not at all. It
/// may replace an empty folder or another checkpoint, but nothing else. Until then it has a temporary name next to the
/// path.
class CheckpointFolder {
 public:
  /// Removes leftovers of killed writers of this path. @throws Error bad_file, like all members, if the path holds
  /// something else or the system call fails.
  explicit CheckpointFolder(const std::string& path);
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  /// Leaves nothing behind if `commit` was not called.
  ~CheckpointFolder();

  /// Creates a new file in the folder.
  WrittenFile create(const std::string& name) const;
  /// Writes the manifest and moves the folder to its path. All other files must be durable.
  void commit(std::string_view manifest);

 private:
  void make();
  bool hold();
  /// Both return the path of the previous checkpoint; empty if there was none.
  std::string put_in_place();
  std::string replace_without_exchange();
  std::string file(const std::string& name) const { return temporary_ + "/" + name; }

  std::string path_;
  std::string temporary_;                ///< empty after the folder has been moved to its path
  std::optional<WrittenFile> manifest_;  ///< locked, which shows other processes that its writer is alive
};

}  // namespace troupe
