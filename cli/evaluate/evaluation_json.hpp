#pragma once

#include <nlohmann/json.hpp>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Returns all results of an evaluation as a JSON object, whose keys are the names of the members of Evaluation. Empty
/// members are left out.
nlohmann::ordered_json evaluation_json(const Evaluation& evaluation);

}  // namespace troupe::cli
