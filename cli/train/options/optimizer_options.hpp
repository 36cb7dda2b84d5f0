#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe::cli {

/// Adds the optimizer options of `train`.
void add_optimizer_options(CLI::App& app, OptimizerSettings& optimizer);

/// Sets the default rates of an optimizer. The seed example trained without momentum.
void set_default_rates(CLI::App& train, OptimizerSettings& optimizer, bool seed_example, const std::string& kind);

/// Makes a cosine schedule without `--schedule-total` end with the last step. @param last_step read at each step; must
/// be set before the first step
void end_with_last_step(const CLI::App& train, OptimizerSettings& optimizer,
                        std::shared_ptr<const std::int64_t> last_step);

}  // namespace troupe::cli
