#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/html/page.hpp"
#include "cli/report/run_record.hpp"

namespace troupe::cli {

/// Returns facts about a run, such as its number of steps, as pairs of a name and a value.
std::vector<std::pair<std::string, std::string>> facts_of(const RunRecord& run);

/// Makes a page with facts and charts of a run. @param report name of the report file
Page report_page(const std::string& report, const RunRecord& run);

}  // namespace troupe::cli
