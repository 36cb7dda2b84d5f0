#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/files/file_record.hpp"

namespace troupe::testing {

/// Contents of files, and folders, by path from the root. Paths of folders end in '/'.
using FileTree = std::map<std::string, std::string>;

FileTree read_tree(const std::string& root);
void write_tree(const std::string& root, const FileTree& tree);

struct CrashOptions {
  std::size_t images_each = 64;  ///< crash images for each number of operations: all if there are fewer, else random
                                 ///< ones
  std::uint64_t seed = 1;
};

/// What a disk may hold when the machine stops while these operations are made, each image once: shows `use` the image
/// and whether the machine stopped behind the last of them.
///
/// After any number of operations, of those that changed names none, some or all are on disk, in any order that leaves
/// two changes of the same name, and the emptying and removal of a folder, in theirs; what a folder's `sync` followed
/// is there. What was written to a file and not followed by its `sync` is there, missing, zero, cut off, or there in
/// some blocks and zero in others.
void for_each_crash(const FileTree& before, const std::vector<FileOperation>& operations, const CrashOptions& options,
                    const std::function<void(const FileTree& image, bool at_end)>& use);

}  // namespace troupe::testing
