#pragma once

#include "cli/html/page.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {

/// Makes the page of a search: a table of its trials, a chart of the trials' values and results, and a chart of the
/// results over the course of the trials.
Page tune_page(const tune::Analysis& analysis, const tune::Options& search);

}  // namespace troupe::cli
