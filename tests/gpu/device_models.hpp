#pragma once

#include "troupe/model.hpp"

namespace troupe_test {

/// Registers the models and the update rule of runs on devices: "small-cnn" with a convolution, batch-norm and a linear
/// layer, "wide-cnn", and "signs". Also registers functions for trainers and searches on devices: "train here" and "say
/// devices".
void register_device_models();

}  // namespace troupe_test
