#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "bench/program/ready_model.hpp"
#include "cli/run_options.hpp"
#include "runtime/clock.hpp"
#include "troupe/call.hpp"

namespace troupe::bench {
namespace {

constexpr const char* kPrivateCopy = "troupe-bench-private-copy";

/// Copies the result into memory of the rank, as other libraries do.
std::string copy_privately(Model& model, std::span<const float> weights) {
  static std::mutex mutex;
  static std::map<const Model*, std::vector<float>> copies;
  std::vector<float>* copy = nullptr;
  {
    const std::lock_guard lock(mutex);
    copy = &copies[&model];
  }
  copy->resize(weights.size());
  std::memcpy(copy->data(), weights.data(), weights.size_bytes());
  return std::to_string((*copy)[copy->size() / 2]);
}

struct AllReduceOptions {
  std::size_t parameters = 44'551'209;
  int rounds = 9;
  bool json = false;
  std::string placement = "processes";
  Options sgd;
};

struct Seconds {
  std::vector<double> shared;
  std::vector<double> with_private_copies;
};

/// Returns the time of the reduction. On nodes this is the whole step, because a node sends its gradient before the
/// other nodes have reported theirs.
double reduction(const StepReport& step) {
  return step.bytes_sent > 0 ? step.seconds.step : step.seconds.reduce + step.seconds.apply_all;
}

Seconds measure(DistributedSGD& sgd, int rounds) {
  Seconds seconds;
  for (int round = 0; round < rounds; ++round) seconds.shared.push_back(reduction(sgd.step()));
  for (int round = 0; round < rounds; ++round) {
    const double shared = reduction(sgd.step());
    const Stopwatch watch;
    sgd.foreach_model(kPrivateCopy);
    seconds.with_private_copies.push_back(shared + watch.seconds());
  }
  return seconds;
}

void measure_allreduce(const AllReduceOptions& options) {
  Options sgd_options = options.sgd;
  sgd_options.placement = cli::parse_placement(options.placement);
  prepare_ready_model(sgd_options, options.parameters);
  DistributedSGD sgd(kReadyModel, sgd_options);
  const int ranks = sgd.num_workers() * sgd_options.compute.devices_per_worker;
  sgd.step();
  verify_ready_model(sgd, ranks, 1);
  sgd.foreach_model(kPrivateCopy);
  const Seconds seconds = measure(sgd, options.rounds);
  verify_ready_model(sgd, ranks, 2 * options.rounds + 1);
  const StepReport& last = sgd.report();
  if (options.json) {
    const nlohmann::ordered_json result{
        {"parameters", options.parameters},    {"ranks", ranks},
        {"placement", options.placement},      {"collective", to_string(last.strategy)},
        {"deterministic", last.deterministic}, {"bytes_sent", last.bytes_sent},
        {"seconds", median(seconds.shared)},   {"private_seconds", median(seconds.with_private_copies)}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf(
        "all-reduce (%s) of %zu floats over %d ranks: %.6f s, %.6f s with a private copy for each rank, %lld "
        "bytes between nodes (medians of %d)\n",
        to_string(last.strategy), options.parameters, ranks, median(seconds.shared),
        median(seconds.with_private_copies), static_cast<long long>(last.bytes_sent), options.rounds);
  }
}

}  // namespace

void register_measured() {
  register_quadratic_model();
  register_ready_model();
  register_train_functions();
  register_model_function(kPrivateCopy, copy_privately);
}

void add_allreduce(CLI::App& app) {
  auto options = std::make_shared<AllReduceOptions>();
  options->sgd.num_workers = 2;
  CLI::App& allreduce = *app.add_subcommand(
      "allreduce",
      "Time the reduction of one gradient per rank to a result that all can read (on nodes: the whole step), after "
      "checking it");
  allreduce.add_option("--parameters", options->parameters, "Floats")->check(CLI::Range(1UL, 1UL << 36));
  allreduce.add_option("--rounds", options->rounds, "Measurements")->check(CLI::Range(1, 10'000));
  cli::add_worker_options(allreduce, options->sgd, options->placement);
  allreduce.add_flag("--json", options->json, "Print one JSON object");
  allreduce.callback([options] { measure_allreduce(*options); });
}

}  // namespace troupe::bench
