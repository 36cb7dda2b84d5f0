#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "bench/program/memory_floor.hpp"
#include "bench/program/ready_model.hpp"
#include "cli/run_options.hpp"
#include "runtime/processes/cores.hpp"

namespace troupe::bench {
namespace {

struct SyncOptions {
  std::size_t parameters = 44'551'209;
  int rounds = 9;
  bool json = false;
  std::string placement = "in-process";
  Options sgd;
};

void measure_sync(const SyncOptions& options) {
  Options sgd_options = options.sgd;
  sgd_options.placement = cli::parse_placement(options.placement);
  prepare_ready_model(sgd_options, options.parameters);
  DistributedSGD sgd(kReadyModel, sgd_options);
  const int replicas = sgd.num_workers() * sgd_options.compute.devices_per_worker;
  const auto cores = static_cast<std::size_t>(usable_cores());
  MemoryFloor floor(options.parameters, static_cast<std::size_t>(replicas), cores);
  sgd.step();
  verify_ready_model(sgd, replicas, 1);
  floor.measure();
  std::vector<double> ours;
  std::vector<double> floors;
  for (int round = 0; round < options.rounds; ++round) {
    floors.push_back(floor.measure());
    const PhaseSeconds seconds = sgd.step().seconds;
    ours.push_back(seconds.reduce + seconds.apply_all);
  }
  verify_ready_model(sgd, replicas, options.rounds + 1);
  const double ratio = median(ours) / median(floors);
  if (options.json) {
    const nlohmann::ordered_json result{{"parameters", options.parameters},
                                        {"workers", sgd.num_workers()},
                                        {"devices_per_worker", sgd_options.compute.devices_per_worker},
                                        {"placement", options.placement},
                                        {"strategy", to_string(sgd_options.gradients.strategy)},
                                        {"seconds", median(ours)},
                                        {"floor_seconds", median(floors)},
                                        {"ratio", ratio}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf("reduce and apply %.6f s, memory floor %.6f s, ratio %.2f (medians of %d)\n", median(ours),
                median(floors), ratio, options.rounds);
  }
}

}  // namespace

void add_sync(CLI::App& app) {
  auto options = std::make_shared<SyncOptions>();
  options->sgd.num_workers = 2;
  CLI::App& sync = *app.add_subcommand(
      "sync", "Time reduction and update of gradients against the limit of the memory, alternating");
  sync.add_option("--parameters", options->parameters, "Floats of the model")->check(CLI::Range(1UL, 1UL << 36));
  sync.add_option("--rounds", options->rounds, "Measurements of each side")->check(CLI::Range(1, 10'000));
  cli::add_worker_options(sync, options->sgd, options->placement);
  sync.add_flag("--json", options->json, "Print one JSON object");
  sync.callback([options] { measure_sync(*options); });
}

}  // namespace troupe::bench
