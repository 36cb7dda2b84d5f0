#pragma once

#include "troupe/model.hpp"

namespace troupe_test {

/// Registers what runs on devices train: the model "small-cnn", which has a convolution, batch-norm and a linear layer,
/// and the update rule "signs".
void register_device_models();

}  // namespace troupe_test
