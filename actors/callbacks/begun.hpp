#pragma once

#include <optional>

#include "runtime/invalid.hpp"

namespace troupe {

/// What a callback has open since it heard of a start. @throws Error invalid_argument where it did not
template <class File>
File& begun(std::optional<File>& file) {
  if (!file) throw_invalid("a callback that writes a file hears of a run's start first");
  return *file;
}

}  // namespace troupe
