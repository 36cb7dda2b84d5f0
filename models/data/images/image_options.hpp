#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/data/arguments.hpp"
#include "models/files/images/image.hpp"

namespace troupe {

/// The values of the options for data that consists of images: size=SIDE or size=HEIGHTxWIDTH, channels=1 or 3, and
/// damaged=skip.
struct ImageOptions {
  std::int64_t height = 0;  ///< height of samples in pixels; 0: the height of the first image
  std::int64_t width = 0;
  std::optional<int> channels = {};  ///< empty: the user chose no number, and samples have 3 channels
  bool skips = false;                ///< whether to skip images that cannot be read

  /// Adds the options for images to `options`. The functions in `options` then write the values that the user chooses
  /// to this object, which must therefore exist as long as `options` is used.
  /// @param name the name of the kind of data, such as "tar", for error messages
  void add_to(DataOptions& options, const std::string& name);
  /// Returns whether the user chose a size or a number of channels.
  bool is_told() const { return height > 0 || channels; }
  /// Returns the form in which to read the first image, whose size becomes the size of all samples: full size, with the
  /// chosen number of channels.
  ImageUse first_use() const { return {.channels = channels.value_or(3)}; }
  /// Returns the shape of samples: {channels, height, width}.
  /// @param read_first reads the first image in the form `first_use()` and returns it; called only if the user chose no
  /// size
  template <class ReadFirst>
  std::vector<std::int64_t> shape(const ReadFirst& read_first) const {
    const std::int64_t planes = channels.value_or(3);
    if (height > 0) return {planes, height, width};
    const Image image = read_first();
    return {planes, image.height, image.width};
  }
};

}  // namespace troupe
