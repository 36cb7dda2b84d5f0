#pragma once

#include "runtime/invalid.hpp"
#include "troupe/layer.hpp"

namespace troupe::models {

/// Checks that the input of a layer consists of images.
/// @throws Error invalid_argument if the input is flat; see LayerSpec::output for the message.
inline void check_images(const SampleShape& input) {
  if (input.flat) throw_invalid("needs images, but gets " + input.text() + " flat features");
}

}  // namespace troupe::models
