#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/html/page.hpp"
#include "cli/report/run_record.hpp"

namespace troupe::cli {

/// Returns facts about a run as pairs of a name and a value, such as the number of steps.
std::vector<std::pair<std::string, std::string>> facts_of(const RunRecord& run);

/// Makes an HTML page with facts and charts about a run. @param report the name of the report file
Page report_page(const std::string& report, const RunRecord& run);

}  // namespace troupe::cli
