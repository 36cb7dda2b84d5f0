#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "troupe/optimizer.hpp"

namespace troupe::cli {

/// Adds what `train` is told about its optimizer.
void add_optimizer_options(CLI::App& app, OptimizerOptions& optimizer);

/// The rates that a rule has unless told otherwise; the seed example trained without momentum.
void set_default_rates(CLI::App& train, OptimizerOptions& optimizer, bool seed_example, const std::string& kind);

}  // namespace troupe::cli
