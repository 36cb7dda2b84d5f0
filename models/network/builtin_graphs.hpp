#pragma once

#include <map>
#include <optional>
#include <string>

#include "troupe/models.hpp"

namespace troupe::models {

/// Values by name, such as {"hidden", 256}, that override a built-in network's defaults.
using GraphOptions = std::map<std::string, double>;

/// Returns the built-in network with this name. Returns nothing for other names and for built-in models that are not
/// graphs.
/// @throws Error invalid_argument for an option that this network does not have, or a value out of its range
std::optional<Graph> builtin_graph(const std::string& name, int num_outputs, const GraphOptions& options = {});

/// Returns "resnet18" for 18. @throws Error invalid_argument for an unknown depth
std::string resnet_name(int depth);

}  // namespace troupe::models
