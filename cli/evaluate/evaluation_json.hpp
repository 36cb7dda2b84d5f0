#pragma once

#include <nlohmann/json.hpp>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Returns all results of an evaluation, under the names of its members; empty members are left out.
nlohmann::ordered_json evaluation_json(const Evaluation& evaluation);

}  // namespace troupe::cli
