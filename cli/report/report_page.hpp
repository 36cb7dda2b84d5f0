#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/html/page.hpp"
#include "cli/report/run_record.hpp"

namespace troupe::cli {

/// Returns the facts of a run: names and values, one line each.
std::vector<std::pair<std::string, std::string>> facts_of(const RunRecord& run);

/// Makes a page with charts of the run. @param report name of the report file
Page report_page(const std::string& report, const RunRecord& run);

}  // namespace troupe::cli
