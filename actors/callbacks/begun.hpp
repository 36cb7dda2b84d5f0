#pragma once

#include <optional>

#include "runtime/invalid.hpp"

namespace troupe {

/// Returns the file that a callback opened in its `on_start`.
/// @throws Error invalid_argument if `file` is empty because `on_start` was not called
template <class File>
File& begun(std::optional<File>& file) {
  if (!file) throw_invalid("a callback that writes a file needs a call of on_start first");
  return *file;
}

}  // namespace troupe
