#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe::testing {

/// An operation on the file system that a process requested.
struct FileOperation {
  enum class Kind : unsigned char { make_folder, make_file, open, write, sync, move, exchange, remove, remove_folder };

  Kind kind = Kind::open;
  std::string path;   ///< relative to the watched root; empty for `write` and `sync`
  std::string to;     ///< the new path, for `move` and `exchange`
  int handle = -1;    ///< returned by `make_file` and `open`, used by `write` and `sync`
  std::string bytes;  ///< appended to the file, for `write`
};

/// Runs `action` in a child and returns the operations on files and folders under `root`, in order, derived from the
/// child's system calls. Returns nothing if children cannot be traced. The test fails if the child makes an unsupported
/// call that changes files, or if `action` throws.
std::optional<std::vector<FileOperation>> record_files(const std::string& root, const std::function<void()>& action);

}  // namespace troupe::testing
