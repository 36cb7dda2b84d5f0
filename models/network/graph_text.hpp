#pragma once

#include <string>
#include <vector>

#include "models/files/network_text.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

/// Returns the description of each layer for a file, or an empty vector if the graph contains a custom layer.
std::vector<LayerText> text_of(const Graph& graph);

/// Creates the graph from the descriptions of its layers.
/// @param path the file with the descriptions, for error messages
/// @throws Error bad_file if this version of Troupe does not know a layer (the message names the layer), or if the
/// descriptions are invalid.
Graph graph_of(const std::string& path, const std::vector<LayerText>& layers);

/// Returns the number of outputs of the last layer whose description contains a number of outputs; 0 if there is no
/// such layer.
std::int64_t outputs_of(const std::vector<LayerText>& layers);
/// Returns the same layers, but with `num_outputs` outputs of the last layer whose description contains a number of
/// outputs.
/// @throws Error unsupported if there is no such layer
std::vector<LayerText> with_outputs(std::vector<LayerText> layers, int num_outputs);

}  // namespace troupe::models
