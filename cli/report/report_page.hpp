#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/html/page.hpp"
#include "cli/report/run_record.hpp"

namespace troupe::cli {

/// What there is to say of a run in a line each: what it is called, and what it is.
std::vector<std::pair<std::string, std::string>> facts_of(const RunRecord& run);

/// Charts of the run. @param report the file that tells of it
Page report_page(const std::string& report, const RunRecord& run);

}  // namespace troupe::cli
