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

  /// Adds these options to `options`. They write to this object, which must therefore exist as long as `options` are
  /// used.
  /// @param name the name of the data, for error messages
  void add_to(DataOptions& options, const std::string& name);
  /// Returns whether the user chose a size or channels.
  bool is_told() const { return height > 0 || channels; }
  /// Returns the form in which the first image must be read to find its size.
  ImageUse first_use() const { return {.channels = channels.value_or(3)}; }
  /// Returns the shape of samples: {channels, height, width}.
  /// @param read_first returns the first image, as `first_use` describes; called only if the user chose no size
  template <class ReadFirst>
  std::vector<std::int64_t> shape(const ReadFirst& read_first) const {
    const std::int64_t planes = channels.value_or(3);
    if (height > 0) return {planes, height, width};
    const Image image = read_first();
    return {planes, image.height, image.width};
  }
};

}  // namespace troupe
