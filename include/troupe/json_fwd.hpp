#pragma once

#include <nlohmann/json_fwd.hpp>

namespace troupe {

/// JSON: the type of the arguments, reports and results of functions on workers. Numbers that are not finite are
/// transferred as null.
using Json = nlohmann::json;

}  // namespace troupe
