#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// Each function adds a subcommand, which runs when it was chosen. Errors are thrown as troupe::Error; `status` is the
/// exit status if there is no error.
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

/// Registers the function with which `train` asks replicas for their profile, so that worker processes find it.
void register_profile();
/// Registers the function that trials of `tune` run.
void register_trial();

}  // namespace troupe::cli
