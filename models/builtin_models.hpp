#pragma once

namespace troupe::models {

/// The registered name of the model whose network is described in its configuration: the key "network" contains a
/// NetworkText as JSON.
inline constexpr const char* kDescribedModel = "troupe-described";

}  // namespace troupe::models
