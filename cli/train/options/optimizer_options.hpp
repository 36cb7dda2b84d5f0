#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "models/optimizers/settings.hpp"

namespace troupe::cli {

/// Adds the options for the optimizer, such as `--learning-rate`, to a command. The options set the members of
/// `optimizer`.
void add_optimizer_options(CLI::App& app, OptimizerSettings& optimizer);

/// Sets the default learning rate and momentum of the optimizer `kind` in `optimizer`, and in the help texts of
/// `train`.
/// @param seed_example true: the model is the original example (tfbench), whose defaults are a learning rate of 1e-6
/// and no momentum
/// @param kind name of the optimizer
void set_default_rates(CLI::App& train, OptimizerSettings& optimizer, bool seed_example, const std::string& kind);

/// Makes a schedule that ends (cosine, linear or wsd) end with the last step of the training. Has no effect on other
/// schedules, or if `--schedule-total` was typed.
/// @param last_step number of the last step. The schedule reads this number at each step, so the caller may set it
/// later, but before the first step.
void end_with_last_step(const CLI::App& train, OptimizerSettings& optimizer,
                        std::shared_ptr<const std::int64_t> last_step);

}  // namespace troupe::cli
