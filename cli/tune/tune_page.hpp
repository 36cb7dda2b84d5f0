#pragma once

#include "cli/html/page.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {

/// What a search found: a table of its trials, what values lead to what, and how trials went on.
Page tune_page(const tune::Analysis& analysis, const tune::Options& search);

}  // namespace troupe::cli
