#pragma once

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace troupe::bench {

/// Each adds a subcommand that runs when it was chosen. Errors come out as troupe::Error.
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

/// The model and the function that `sync`, `allreduce` and `checkpoint` measure with, for worker processes and nodes to
/// find.
void register_measured();
void register_quadratic_model();
void register_train_functions();

}  // namespace troupe::bench
