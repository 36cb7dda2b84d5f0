#pragma once

namespace troupe::models {

/// The name of the registered model that gets its network from the configuration: key "network", a NetworkText.
inline constexpr const char* kDescribedModel = "troupe-described";

}  // namespace troupe::models
