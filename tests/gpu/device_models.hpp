#pragma once

#include "troupe/model.hpp"

namespace troupe_test {

/// Registers the model and the update rule of runs on devices: "small-cnn" with a convolution, batch-norm and a linear
/// layer, and "signs".
void register_device_models();

}  // namespace troupe_test
