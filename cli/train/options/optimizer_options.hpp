#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe::cli {

/// Adds the optimizer options of `train`.
void add_optimizer_options(CLI::App& app, OptimizerSettings& optimizer);

/// Sets the default learning rate and momentum of an optimizer.
/// @param seed_example whether the model is the original example (tfbench), which was trained with a rate of 1e-6 and
/// without momentum
/// @param kind name of the optimizer
void set_default_rates(CLI::App& train, OptimizerSettings& optimizer, bool seed_example, const std::string& kind);

/// If the schedule is cosine and `--schedule-total` was not typed, makes the schedule end with the last step of the
/// training.
/// @param last_step number of the last step. It is read at each step, and must be set before the first step.
void end_with_last_step(const CLI::App& train, OptimizerSettings& optimizer,
                        std::shared_ptr<const std::int64_t> last_step);

}  // namespace troupe::cli
