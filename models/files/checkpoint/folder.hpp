#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/files/written_file.hpp"

namespace troupe {

/// How the name of a folder goes on that another takes the place of.
inline constexpr const char* kReplaced = ".tmp-old";

/// Where the checkpoint of this path lies: at the path, or beside it where a writer was killed on a file system that
/// cannot exchange folders. @throws Error bad_file for a path that names no folder.
std::string find_checkpoint(const std::string& path);

/// Brings back, or removes, what killed writers of this path left. Folders of writers that live stay.
/// @throws Error bad_file for a path that names no folder.
void tidy_checkpoint(const std::string& path);

/// Removes a checkpoint; of a link the link alone. Killed meanwhile, or with the machine, it leaves the checkpoint
/// whole, or what `tidy_checkpoint` removes. @throws Error bad_file where something of it is left.
void remove_checkpoint(const std::string& path);

/// The folder of a checkpoint that appears at its path whole, by `commit`, or not at all; in the place of none, of an
/// empty folder or of another checkpoint, and of nothing else. Until then it lies beside it under a temporary name.
class CheckpointFolder {
 public:
  /// Removes what killed writers of this path left. @throws Error bad_file, as all members do, for a path where
  /// something else is, or when the system refuses.
  explicit CheckpointFolder(const std::string& path);
  CheckpointFolder(const CheckpointFolder&) = delete;
  CheckpointFolder& operator=(const CheckpointFolder&) = delete;
  /// Without `commit`, leaves nothing behind.
  ~CheckpointFolder();

  /// A new file in it.
  WrittenFile create(const std::string& name) const;
  /// Writes the manifest, and puts the folder in its place. The other files are on disk.
  void commit(std::string_view manifest);

 private:
  void make();
  bool hold();
  /// Both return where the checkpoint before lies now; empty where there was none.
  std::string put_in_place();
  std::string replace_without_exchange();
  std::string file(const std::string& name) const { return temporary_ + "/" + name; }

  std::string path_;
  std::string temporary_;                ///< empty when it has been put in its place
  std::optional<WrittenFile> manifest_;  ///< locked, which tells others that its writer lives
};

}  // namespace troupe
