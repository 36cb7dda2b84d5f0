#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::cli {

/// Each of these functions adds the subcommand in its name, such as `train`, to `app`. If the user typed the
/// subcommand, CLI11 runs it at the end of parsing. On failure, a subcommand throws troupe::Error. A subcommand with
/// the parameter `status` may set the program's exit status through it.
void add_train(CLI::App& app, int& status);
void add_checkpoint(CLI::App& app, int& status);
void add_tune(CLI::App& app, int& status);
void add_evaluate(CLI::App& app);
void add_predict(CLI::App& app);
void add_generate(CLI::App& app);
void add_data(CLI::App& app);
void add_devices(CLI::App& app);
void add_report(CLI::App& app);
void add_diff(CLI::App& app, int& status);
void add_certs(CLI::App& app);
void add_node(CLI::App& app);
void add_nodes(CLI::App& app);

/// Registers the model function by which `train --profile` requests the layer times of a replica. Worker processes find
/// the function by its name.
void register_profile();
/// Registers the function that each trial of `tune` runs. The process of a trial finds the function by its name.
void register_trial();

}  // namespace troupe::cli
