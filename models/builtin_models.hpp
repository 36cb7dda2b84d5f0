#pragma once

namespace troupe::models {

/// The name under which the model is registered whose configuration contains its whole network. The configuration is a
/// JSON object; the value of its key "network" is the text that `to_json` returns for a NetworkText.
inline constexpr const char* kDescribedModel = "troupe-described";

}  // namespace troupe::models
