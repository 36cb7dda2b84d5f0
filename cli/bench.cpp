#include "cli/commands.hpp"

namespace troupe::cli {

void add_bench(CLI::App& app) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure Troupe itself");
  bench.require_subcommand(1);
  add_bench_sync(bench);
  add_bench_allreduce(bench);
  add_bench_data_plane(bench);
}

}  // namespace troupe::cli
