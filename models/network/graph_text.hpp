#pragma once

#include <string>
#include <vector>

#include "models/files/network_text.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

/// Returns the descriptions of all layers of a graph, for a file. Returns an empty vector if the graph contains a
/// custom layer.
std::vector<LayerText> text_of(const Graph& graph);

/// Creates a graph from the descriptions of its layers.
/// @param path the file that contains the descriptions, for error messages
/// @throws Error bad_file if this version of Troupe does not know a layer (the message names the layer), or if the
/// descriptions are invalid.
Graph graph_of(const std::string& path, const std::vector<LayerText>& layers);

/// Returns the number of outputs of the network, from the last description that contains a number of outputs. Returns 0
/// if no description contains one.
std::int64_t outputs_of(const std::vector<LayerText>& layers);
/// Returns the descriptions `layers` with another number of outputs of the network: in the last description that
/// contains a number of outputs, this number is replaced by `num_outputs`.
/// @throws Error unsupported if no description contains a number of outputs, or as `check_has_own_head`
std::vector<LayerText> with_outputs(std::vector<LayerText> layers, int num_outputs);

}  // namespace troupe::models
