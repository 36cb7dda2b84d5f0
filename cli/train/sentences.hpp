#pragma once

#include <string>

#include "troupe/report.hpp"

// What the command says of a run.
namespace troupe::cli {

/// What was lost, where, and how it was made good.
std::string repair_text(const Repair& repair);

/// Of one that ends programs: "an interrupt", or its name.
const char* signal_text(int signal);

/// Why L-BFGS has ended, and where.
std::string end_text(const StepReport& report);

}  // namespace troupe::cli
