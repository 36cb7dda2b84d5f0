#pragma once

#include <optional>
#include <string>

#include "troupe/models.hpp"

namespace troupe::models {

/// The registered model whose configuration says in "network", beside "data" and so on, what it is: a NetworkText.
inline constexpr const char* kDescribedModel = "troupe-described";

/// The network that is registered under `name`; nothing for other names, and for models that are no graphs.
std::optional<Graph> builtin_graph(const std::string& name, int num_outputs);

}  // namespace troupe::models
