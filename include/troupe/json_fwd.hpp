#pragma once

#include <nlohmann/json_fwd.hpp>

namespace troupe {

/// What functions on workers take, report and return. A number that is not finite becomes null on its way.
using Json = nlohmann::json;

}  // namespace troupe
