#pragma once

namespace troupe::models {

/// The registered model whose configuration says in "network", beside "data" and so on, what it is: a NetworkText.
inline constexpr const char* kDescribedModel = "troupe-described";

}  // namespace troupe::models
