#pragma once

#include "runtime/invalid.hpp"
#include "troupe/layer.hpp"

namespace troupe::models {

/// Checks that the input of a layer consists of images.
/// @throws Error invalid_argument if the input is flat; see LayerSpec::output for the message.
inline void check_images(const SampleShape& input) {
  if (input.flat) throw_invalid("needs images, but gets " + input.text() + " flat features");
  if (input.sequence) throw_invalid("needs images, but gets a sequence of " + input.text());
}

/// Checks that the input of a layer is a sequence.
/// @throws Error invalid_argument if it is not; see LayerSpec::output for the message.
inline void check_sequence(const SampleShape& input) {
  if (!input.sequence)
    throw_invalid("needs a sequence, but gets " + input.text() + (input.flat ? " flat features" : "") +
                  "; start with embedding()");
}

}  // namespace troupe::models
