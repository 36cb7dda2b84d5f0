#pragma once

#include <string>
#include <vector>

#include "models/files/network_text.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

/// Returns the text of each layer, or an empty vector if the graph contains a custom layer.
std::vector<LayerText> text_of(const Graph& graph);

/// Creates the graph that the texts describe. @param path the file of the texts, for errors
/// @throws Error bad_file that names a layer that this version of Troupe does not know.
Graph graph_of(const std::string& path, const std::vector<LayerText>& layers);

/// Returns the number of outputs of the last layer whose text has one; 0 if there is no such layer.
std::int64_t outputs_of(const std::vector<LayerText>& layers);
/// Returns the same network with another number of outputs.
/// @throws Error unsupported if no layer's text has a number of outputs
std::vector<LayerText> with_outputs(std::vector<LayerText> layers, int num_outputs);

}  // namespace troupe::models
