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
  std::size_t images_each = 64;  ///< crash images for each number of operations: all or, if too many, random ones
  std::uint64_t seed = 1;
};

/// Calls `use` with each distinct state that a disk may have if the machine stops during these operations, and with
/// whether the machine stopped after the last one.
///
/// After any number of operations, any subset of the changes of names may be on disk. Changes of the same name, and the
/// emptying and removal of a folder, stay in order. Changes before a `sync` of their folder are on disk. Bytes written
/// to a file after its last `sync` are present, missing, zero, cut off, or present in some blocks and zero in others.
void for_each_crash(const FileTree& before, const std::vector<FileOperation>& operations, const CrashOptions& options,
                    const std::function<void(const FileTree& image, bool at_end)>& use);

}  // namespace troupe::testing
