#pragma once

#include <map>
#include <optional>
#include <string>

#include "troupe/models.hpp"

namespace troupe::models {

/// Options of a built-in network by name, such as {"hidden", 256}. They override its defaults.
using GraphOptions = std::map<std::string, double>;

/// Returns the built-in network with this name. Returns nothing for unknown names, and for built-in models that are not
/// graphs.
/// @throws Error invalid_argument for an option that this network does not have, or a value out of its range
std::optional<Graph> builtin_graph(const std::string& name, int num_outputs, const GraphOptions& options = {});

/// Returns the network "gpt" for this data.
/// @throws Error invalid_argument as `builtin_graph`; bad_data if the data has no tokens.
Graph builtin_gpt(const DataInfo& data, const GraphOptions& options);

/// Returns the name of the ResNet with this depth, such as "resnet18" for 18.
/// @throws Error invalid_argument for an unknown depth
std::string resnet_name(int depth);

}  // namespace troupe::models
