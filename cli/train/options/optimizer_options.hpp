#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe::cli {

/// Adds what `train` is told about its optimizer.
void add_optimizer_options(CLI::App& app, OptimizerSettings& optimizer);

/// The rates that a rule has unless told otherwise; the seed example trained without momentum.
void set_default_rates(CLI::App& train, OptimizerSettings& optimizer, bool seed_example, const std::string& kind);

/// Lets a cosine whose end was not said (`--schedule-total`) come down with the last step. @param last_step read with
/// each step, set before the first
void end_with_last_step(const CLI::App& train, OptimizerSettings& optimizer,
                        std::shared_ptr<const std::int64_t> last_step);

}  // namespace troupe::cli
