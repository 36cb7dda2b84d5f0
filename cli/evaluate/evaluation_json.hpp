#pragma once

#include <nlohmann/json.hpp>

#include "troupe/report.hpp"

namespace troupe::cli {

/// All that an evaluation measured, under the names of its members; without those that are empty.
nlohmann::ordered_json evaluation_json(const Evaluation& evaluation);

}  // namespace troupe::cli
