#pragma once

#include <string>
#include <vector>

#include "models/files/network_text.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

/// The layers in words; none where one of them is not Troupe's own.
std::vector<LayerText> text_of(const Graph& graph);

/// The graph of such words. @param path of the file that says them, for errors.
/// @throws Error bad_file naming a layer that this version of Troupe does not know.
Graph graph_of(const std::string& path, const std::vector<LayerText>& layers);

/// How many outputs the last layer says that it has; 0: no layer says so.
std::int64_t outputs_of(const std::vector<LayerText>& layers);
/// The same network with another number of outputs. @throws Error unsupported where no layer says how many there are
std::vector<LayerText> with_outputs(std::vector<LayerText> layers, int num_outputs);

}  // namespace troupe::models
