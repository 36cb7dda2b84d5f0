#pragma once

#include <string>

#include "troupe/report.hpp"

// What the command says of a run.
namespace troupe::cli {

/// What was lost, where, and how it was made good.
std::string repair_text(const Repair& repair);

/// Why L-BFGS has ended, and where.
std::string end_text(const StepReport& report);

}  // namespace troupe::cli
