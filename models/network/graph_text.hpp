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

}  // namespace troupe::models
