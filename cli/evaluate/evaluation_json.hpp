#pragma once

#include <nlohmann/json.hpp>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Returns all results of an evaluation as an object, whose keys are the names of Evaluation's members. Members that
/// are empty are left out.
nlohmann::ordered_json evaluation_json(const Evaluation& evaluation);

}  // namespace troupe::cli
