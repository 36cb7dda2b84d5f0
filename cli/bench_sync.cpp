#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/memory_floor.hpp"
#include "cli/run_options.hpp"
#include "runtime/cores.hpp"

namespace troupe::cli {
namespace {

constexpr const char* kModelName = "troupe-bench-sync";
constexpr double kRate = 0.5;

/// A model whose gradients are there already: what remains of a step is adding and applying them. The gradient of
/// shard s is s + 1 everywhere.
class ReadyModel : public Model {
 public:
  explicit ReadyModel(std::size_t size) : size_(size) {}

  std::size_t size() const override { return size_; }
  BatchResult gradient(const ShardStep& at, std::span<const float> /*weights*/, std::span<float> gradient) override {
    const auto value = static_cast<float>(at.shard + 1);
    if (gradient.front() != value) std::fill(gradient.begin(), gradient.end(), value);
    return {0, 1};
  }

 private:
  std::size_t size_;
};

struct BenchOptions {
  std::size_t parameters = 44'551'209;
  int rounds = 9;
  bool json = false;
  std::string placement = "in-process";
  Options sgd;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Every weight must have gone down by rate x mean gradient at each step.
void verify(DistributedSGD& sgd, int shards, int steps) {
  const int sum = shards * (shards + 1) / 2;
  const float mean = static_cast<float>(sum) / static_cast<float>(shards);
  float expected = 0;
  for (int step = 0; step < steps; ++step) expected -= static_cast<float>(kRate) * mean;
  for (const float weight : sgd.weights())
    if (weight != expected)
      throw Error(ErrorCode::bad_data, "a weight is " + std::to_string(weight) + ", not " + std::to_string(expected));
}

void bench_sync(const BenchOptions& options) {
  Options sgd_options = options.sgd;
  sgd_options.placement = parse_placement(options.placement);
  sgd_options.optimizer.learning_rate = kRate;
  sgd_options.config = std::to_string(options.parameters);
  sgd_options.verbose = false;
  DistributedSGD sgd(kModelName, sgd_options);
  const int replicas = sgd_options.num_workers * sgd_options.devices_per_worker;
  const auto cores = static_cast<std::size_t>(usable_cores());
  MemoryFloor floor(options.parameters, static_cast<std::size_t>(replicas), cores);
  sgd.step();
  verify(sgd, replicas, 1);
  floor.measure();
  std::vector<double> ours;
  std::vector<double> floors;
  for (int round = 0; round < options.rounds; ++round) {
    floors.push_back(floor.measure());
    const PhaseSeconds seconds = sgd.step().seconds;
    ours.push_back(seconds.reduce + seconds.apply_all);
  }
  verify(sgd, replicas, options.rounds + 1);
  const double ratio = median(ours) / median(floors);
  if (options.json) {
    const nlohmann::ordered_json result{{"parameters", options.parameters},
                                        {"workers", sgd_options.num_workers},
                                        {"devices_per_worker", sgd_options.devices_per_worker},
                                        {"placement", options.placement},
                                        {"strategy", sgd_options.strategy},
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

void register_bench_models() {
  register_model(kModelName, [](const ReplicaContext& context) {
    if (context.config.starts_with('{'))  // what models to train are configured by
      throw Error(ErrorCode::invalid_argument, std::string(kModelName) + " is only there for `troupe bench sync`");
    return std::make_unique<ReadyModel>(std::stoull(context.config));
  });
}

void add_bench(CLI::App& app) {
  CLI::App& bench = *app.add_subcommand("bench", "Measure Troupe itself");
  bench.require_subcommand(1);
  auto options = std::make_shared<BenchOptions>();
  options->sgd.num_workers = 2;
  CLI::App& sync = *bench.add_subcommand(
      "sync", "Time reduction and update of gradients against the machine's memory, in turn in one run");
  sync.add_option("--parameters", options->parameters, "Floats of the model")->check(CLI::Range(1UL, 1UL << 36));
  sync.add_option("--rounds", options->rounds, "Measurements of each")->check(CLI::Range(1, 10'000));
  add_worker_options(sync, options->sgd, options->placement);
  sync.add_flag("--json", options->json, "Print one JSON object");
  sync.callback([options] { bench_sync(*options); });
}

}  // namespace troupe::cli
