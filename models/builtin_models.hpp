#pragma once

namespace troupe::models {

/// The name of the registered model whose configuration holds the network itself: key "network", a NetworkText.
inline constexpr const char* kDescribedModel = "troupe-described";

}  // namespace troupe::models
