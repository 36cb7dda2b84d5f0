#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe::testing {

/// What a process asked of a file system.
struct FileOperation {
  enum class Kind : unsigned char { make_folder, make_file, open, write, sync, move, exchange, remove, remove_folder };

  Kind kind = Kind::open;
  std::string path;   ///< from the root that is watched; of `write` and `sync` none
  std::string to;     ///< of `move` and `exchange`
  int handle = -1;    ///< that `make_file` and `open` give, and `write` and `sync` name
  std::string bytes;  ///< of `write`, at the file's end
};

/// Runs `action` in a child, and returns what it did to the files and folders under `root`, in order, down to the
/// system calls. None where children cannot be traced. A call that changes files in a way that this does not know fails
/// the test, and so does an action that throws.
std::optional<std::vector<FileOperation>> record_files(const std::string& root, const std::function<void()>& action);

}  // namespace troupe::testing
