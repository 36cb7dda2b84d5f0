#pragma once

#include "cli/html/page.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {

/// Makes the HTML page about a hyperparameter search. The page has a table of the trials, and a parallel chart of the
/// trials' values and results. It also has a line chart of each trial's results over its reports.
Page tune_page(const tune::Analysis& analysis, const tune::Options& search);

}  // namespace troupe::cli
