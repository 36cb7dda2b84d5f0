#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// Each function adds a subcommand to `app`. The subcommand runs while the command line is parsed, if it was typed. It
/// throws troupe::Error on failure, and otherwise may set `status`, the exit status.
void add_train(CLI::App& app, int& status);
void add_checkpoint(CLI::App& app, int& status);
void add_tune(CLI::App& app, int& status);
void add_evaluate(CLI::App& app);
void add_predict(CLI::App& app);
void add_data(CLI::App& app);
void add_devices(CLI::App& app);
void add_report(CLI::App& app);
void add_diff(CLI::App& app, int& status);
void add_certs(CLI::App& app);
void add_node(CLI::App& app);
void add_nodes(CLI::App& app);

/// Registers the function with which `train --profile` asks replicas for their layer times. Worker processes find the
/// function by its name.
void register_profile();
/// Registers the function that trials of `tune` run. Processes of trials find the function by its name.
void register_trial();

}  // namespace troupe::cli
