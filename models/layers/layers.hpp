#pragma once

#include <string>

#include "troupe/models.hpp"

namespace troupe::models {

/// "batch-norm", "max-pooling" and so on.
const char* kind_name(Layer::Kind kind);

/// How many inputs a layer of this kind takes.
std::size_t num_inputs(Layer::Kind kind);

/// Layers with weights or statistics have tensors.
bool has_tensors(Layer::Kind kind);

/// What errors call layer `number`: "layer 3 (convolution 'layer1.0.conv1')".
std::string layer_text(std::size_t number, const std::string& name, const Layer& layer);

}  // namespace troupe::models
