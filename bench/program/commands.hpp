#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::bench {

/// Each function adds a subcommand. The subcommand runs if it is selected, and throws troupe::Error.
void add_sync(CLI::App& app);
void add_lbfgs(CLI::App& app);
void add_allreduce(CLI::App& app);
void add_data_plane(CLI::App& app);
void add_transports(CLI::App& app);
void add_checkpoint(CLI::App& app);
void add_deaths(CLI::App& app);
void add_predict(CLI::App& app);
void add_first_step(CLI::App& app);
void add_read(CLI::App& app);
void add_trainer(CLI::App& app);

/// Registers the model and the function that `sync`, `allreduce` and `checkpoint` use, so that worker processes and
/// nodes find them.
void register_measured();
void register_quadratic_model();
void register_train_functions();

}  // namespace troupe::bench
