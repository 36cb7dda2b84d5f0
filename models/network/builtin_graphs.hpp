#pragma once

#include <map>
#include <optional>
#include <string>

#include "troupe/models.hpp"

namespace troupe::models {

/// Numbers by name, such as {"hidden", 256}, in place of a built-in network's own.
using GraphOptions = std::map<std::string, double>;

/// The network that is registered under `name`; nothing for other names, and for models that are no graphs.
/// @throws Error invalid_argument for an option that this network does not have, or a value out of its range
std::optional<Graph> builtin_graph(const std::string& name, int num_outputs, const GraphOptions& options = {});

/// "resnet18" for 18. @throws Error invalid_argument for a depth that no ResNet has
std::string resnet_name(int depth);

}  // namespace troupe::models
