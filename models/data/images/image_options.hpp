#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/data/arguments.hpp"
#include "models/files/images/image.hpp"

namespace troupe {

/// Options for samples made of images: size=SIDE|HEIGHTxWIDTH, channels=1|3, and damaged=skip.
struct ImageOptions {
  std::int64_t height = 0;  ///< 0: height of the first image
  std::int64_t width = 0;
  std::optional<int> channels = {};  ///< default: 3
  bool skips = false;                ///< whether damaged images are skipped

  /// @param name the name of the data, for errors
  void add_to(DataOptions& options, const std::string& name);
  bool is_told() const { return height > 0 || channels; }
  ImageUse first_use() const { return {.channels = channels.value_or(3)}; }
  /// @param read_first reads the first image as `first_use` requires; called if no size is set
  template <class ReadFirst>
  std::vector<std::int64_t> shape(const ReadFirst& read_first) const {
    const std::int64_t planes = channels.value_or(3);
    if (height > 0) return {planes, height, width};
    const Image image = read_first();
    return {planes, image.height, image.width};
  }
};

}  // namespace troupe
