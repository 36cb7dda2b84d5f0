#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "bench/program/reading_floor.hpp"
#include "cli/run_options.hpp"
#include "runtime/processes/cores.hpp"
#include "runtime/random.hpp"

namespace troupe::bench {
namespace {

constexpr const char* kQuadraticModel = "troupe-bench-quadratic";

/// Half the squared distance from a point of ones. Each direction has its own curvature between 1 and 10,000, so that a
/// short history cannot represent all of them. The configuration is the number of parameters.
class QuadraticModel : public Model {
 public:
  explicit QuadraticModel(std::size_t size) : size_(size) {}

  BatchResult gradient(const ShardStep& /*at*/, std::span<const float> weights, std::span<float> gradient) override {
    double loss = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const float curvature = 1 + static_cast<float>((i * i) % 10'000);
      const float off = weights[i] - 1;
      gradient[i] = curvature * off;
      loss += 0.5 * static_cast<double>(gradient[i]) * static_cast<double>(off);
    }
    return {loss, 1};
  }

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override { return {.size = size_, .num_samples = 1 << 20}; }

 private:
  std::size_t size_;
};

struct LbfgsBench {
  std::size_t parameters = 44'551'209;
  int rounds = 9;
  int history = 10;
  bool json = false;
  std::string placement = "in-process";
  Options sgd;
};

/// Returns the bytes that this machine or network namespace has sent and received on all interfaces except loopback.
std::int64_t network_bytes() {
  std::ifstream file("/proc/net/dev");
  std::int64_t bytes = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.find("lo:") != std::string::npos) continue;
    std::istringstream numbers(line.substr(colon + 1));
    std::int64_t received = 0;
    std::int64_t sent = 0;
    std::string ignored;
    numbers >> received;
    for (int i = 0; i < 7; ++i) numbers >> ignored;
    numbers >> sent;
    bytes += received + sent;
  }
  return bytes;
}

void measure_lbfgs(const LbfgsBench& options) {
  Options sgd_options = options.sgd;
  sgd_options.placement = cli::parse_placement(options.placement);
  sgd_options.algorithm = Lbfgs{.history = options.history, .tolerance = 0};
  sgd_options.config = std::to_string(options.parameters);
  sgd_options.verbose = false;
  DistributedSGD sgd(kQuadraticModel, sgd_options);
  const int history = options.history;
  for (int step = 0; step < history + 2; ++step) sgd.step();
  ReadingFloor floor(options.parameters, static_cast<std::size_t>(2 * history),
                     static_cast<std::size_t>(usable_cores()));
  floor.measure();
  std::vector<double> ours;
  std::vector<double> floors;
  std::int64_t bytes = 0;
  while (static_cast<int>(ours.size()) < options.rounds) {
    floors.push_back(2 * floor.measure());
    const std::int64_t before = network_bytes();
    const StepReport report = sgd.step();
    if (report.lbfgs.end != LbfgsEnd::none)
      throw Error(ErrorCode::bad_data, "L-BFGS ended before all rounds were measured");
    if (report.lbfgs.evaluations != 1 || report.lbfgs.pairs != history) continue;  // one evaluation is one pass
    ours.push_back(report.seconds.apply_all);
    bytes += network_bytes() - before;
  }
  const nlohmann::ordered_json result{{"parameters", options.parameters},
                                      {"history", history},
                                      {"workers", sgd.num_workers()},
                                      {"placement", options.placement},
                                      {"seconds", median(ours)},
                                      {"floor_seconds", median(floors)},
                                      {"ratio", median(ours) / median(floors)},
                                      {"network_bytes", bytes / options.rounds}};
  if (options.json)
    std::printf("%s\n", result.dump().c_str());
  else
    std::printf("direction, move and products %.6f s, reading the history twice %.6f s, ratio %.2f (medians of %d)\n",
                median(ours), median(floors), median(ours) / median(floors), options.rounds);
}

}  // namespace

void register_quadratic_model() {
  register_model(kQuadraticModel, [](const ReplicaContext& context) {
    return std::make_unique<QuadraticModel>(std::stoull(context.config));
  });
}

void add_lbfgs(CLI::App& app) {
  auto options = std::make_shared<LbfgsBench>();
  options->sgd.num_workers = 2;
  CLI::App& lbfgs =
      *app.add_subcommand("lbfgs", "Time the vector operations of L-BFGS against reading its history, alternating");
  lbfgs.add_option("--parameters", options->parameters, "Floats of the model")->check(CLI::Range(1UL, 1UL << 36));
  lbfgs.add_option("--rounds", options->rounds, "Measurements of each side")->check(CLI::Range(1, 10'000));
  lbfgs.add_option("--history", options->history, "Stored pairs")->check(CLI::Range(1, 100));
  cli::add_worker_options(lbfgs, options->sgd, options->placement);
  lbfgs.add_flag("--json", options->json, "Print one JSON object");
  lbfgs.callback([options] { measure_lbfgs(*options); });
}

}  // namespace troupe::bench
