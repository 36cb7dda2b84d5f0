#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/data/data_memory.hpp"
#include "models/data/images/image_options.hpp"

namespace troupe {

/// What stands behind "tar:".
struct TarArguments {
  std::vector<std::string> train;  ///< files, patterns and ranges resolved, and commands behind kPipe
  std::vector<std::string> test;
  ImageOptions images;
  std::uint64_t held_bytes = part_memory();  ///< of what is held decompressed
};

/// @throws Error invalid_argument that says what is wrong, bad_file for a pattern that no file has
TarArguments parse_tar_arguments(const std::string& text);

}  // namespace troupe
