#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// Each adds a subcommand that runs when it was chosen. Errors come out as troupe::Error; `status` is the exit status
/// where there is none.
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

/// The function by which `train` asks replicas for their profile, for worker processes to find.
void register_profile();
/// The function that trials of `tune` run.
void register_trial();

}  // namespace troupe::cli
