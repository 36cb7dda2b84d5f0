#pragma once

#include <string>

#include "troupe/layer.hpp"

namespace troupe::models {

/// Returns the name of layer `number` of a graph for error messages, such as "layer 3 (convolution 'layer1.0.conv1')".
inline std::string layer_text(std::size_t number, const std::string& name, const LayerSpec& layer) {
  const std::string number_text = std::to_string(number);
  const std::string quoted = name.empty() || name == number_text ? "" : " '" + name + "'";
  return "layer " + number_text + " (" + layer.kind() + quoted + ")";
}

}  // namespace troupe::models
