#pragma once

#include <CLI/CLI.hpp>

namespace troupe::cli {

/// Each adds a subcommand that runs when it was chosen. Errors come out as troupe::Error.
void add_train(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_bench(CLI::App& app);
void add_certs(CLI::App& app);
void add_node(CLI::App& app);
void add_nodes(CLI::App& app);

/// What can be measured, below `bench`.
void add_bench_sync(CLI::App& bench);
void add_bench_allreduce(CLI::App& bench);
void add_bench_data_plane(CLI::App& bench);

/// Models that the program's own benchmarks use, for worker processes to find.
void register_bench_models();

/// The function by which `train` asks replicas for their profile, likewise.
void register_profile();

}  // namespace troupe::cli
