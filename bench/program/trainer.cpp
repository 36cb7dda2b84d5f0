#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "cli/run_options.hpp"
#include "runtime/clock.hpp"
#include "runtime/invalid.hpp"
#include "troupe/troupe.hpp"

// Measures the overhead of a training loop of the user.
namespace troupe::bench {
namespace {

constexpr const char* kBegin = "troupe-bench-begin";
constexpr const char* kAllReduce = "troupe-bench-all-reduce";
constexpr const char* kReport = "troupe-bench-report";
constexpr const char* kStep = "troupe-bench-step";

/// Returns the time of a clock that all processes of a machine share.
double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Returns the median seconds of an all-reduce of private vectors. The slowest rank counts.
double time_all_reduce(const Json& config) {
  std::vector<float> values(config.at("floats").get<std::size_t>());
  const TaskContext& place = here();
  std::vector<double> seconds;
  for (int round = -1; round < config.at("rounds").get<int>(); ++round) {
    std::ranges::fill(values, static_cast<float>(place.rank() + 1));
    place.barrier();
    const Stopwatch watch;
    place.all_reduce(std::span(values));
    const double taken = place.all_reduce(watch.seconds(), ReduceOp::max);
    if (round >= 0) seconds.push_back(taken);
  }
  const auto sum = static_cast<float>(place.world_size() * (place.world_size() + 1) / 2);
  for (const float value : values)
    if (value != sum) throw Error(ErrorCode::bad_data, "the sum is wrong");
  return median(seconds);
}

/// Returns the seconds of an iteration that only reports.
double time_report(const Json& config) {
  const int iterations = config.at("iterations");
  here().barrier();
  const Stopwatch watch;
  for (int i = 0; i < iterations; ++i)
    here().report({{"loss", 1.0 / (i + 1)}, {"accuracy", 0.5}, {"rate", 1000.0 + i}, {"epoch", i / 100}, {"step", i}});
  return watch.seconds() / iterations;
}

/// Returns the median seconds of a step of Troupe's model in a loop of the user.
double time_step(const Json& config) {
  const auto model = accelerate(config.at("model").get<std::string>(), {.config = config.at("config")});
  GroupSGD optimizer{model, here().group(), Sgd{.learning_rate = 0.05, .momentum = 0.9}};
  std::vector<double> seconds;
  for (int i = 0; i < config.at("steps"); ++i) {
    const Stopwatch watch;
    optimizer.step();
    seconds.push_back(watch.seconds());
  }
  return median(seconds);
}

struct TrainerBench {
  std::string part = "all-reduce";
  int workers = 4;
  int rounds = 3;
  int steps = 100;
  int iterations = 10'000;
  std::string model = "cnn";
  std::vector<std::size_t> floats{256, 262'144, 44'551'209};
};

TrainerOptions trainer_options(const TrainerBench& options) {
  return {.num_workers = options.workers, .placement = Placement::processes};
}

Json all_reduce(const TrainerBench& options) {
  Trainer trainer(trainer_options(options));
  Json sizes = Json::array();
  for (const std::size_t floats : options.floats) {
    const int rounds = floats > 10'000'000 ? 9 : floats > 1'000'000 ? 21 : 201;
    const RunResults results = trainer.run(kAllReduce, {{"floats", floats}, {"rounds", rounds}});
    sizes.push_back({{"floats", floats}, {"seconds", results[0].json}});
  }
  return {{"ranks", options.workers}, {"sizes", sizes}};
}

/// Measures the time in which all reports are made and delivered.
Json report(const TrainerBench& options) {
  Trainer trainer(trainer_options(options));
  std::int64_t told = 0;
  const Stopwatch watch;
  RunHandle running = trainer.run_generator(kReport, {{"iterations", options.iterations}});
  for ([[maybe_unused]] const Report& each : running) ++told;
  const double seconds = watch.seconds() / options.iterations;
  if (told != options.iterations) throw Error(ErrorCode::bad_data, "reports are missing");
  double on_worker = 0;
  for (const TaskResult& each : running.returns()) on_worker = std::max(on_worker, each.json.get<double>());
  return {{"ranks", options.workers}, {"seconds", seconds}, {"worker_seconds", on_worker}};
}

double last_of(const RunResults& results) {
  double last = 0;
  for (const TaskResult& each : results) last = std::max(last, each.json.get<double>());
  return last;
}

/// Measures the time until the function runs on all workers, for new and for existing worker processes.
Json start(const TrainerBench& options) {
  std::vector<double> started, again;
  for (int round = 0; round < options.rounds; ++round) {
    const double begin = now();
    Trainer trainer(trainer_options(options));
    started.push_back(last_of(trainer.run(kBegin)) - begin);
    const Stopwatch watch;
    trainer.run(kBegin);
    again.push_back(watch.seconds());
  }
  return {{"ranks", options.workers}, {"start_seconds", median(started)}, {"again_seconds", median(again)}};
}

/// Compares a step of a DistributedSGD with a step of a user's loop. Both alternate and have their own worker
/// processes.
Json step(const TrainerBench& options) {
  const std::string config = R"({"data": "fashion-mnist", "batch_size": 128})";
  std::vector<double> own, driver;
  for (int round = 0; round < options.rounds; ++round) {
    Trainer trainer(trainer_options(options));
    own.push_back(trainer.run(kStep, {{"model", options.model}, {"config", config}, {"steps", options.steps}})[0].json);
    trainer.shutdown();
    DistributedSGD sgd(options.model, {.num_workers = options.workers,
                                       .placement = Placement::processes,
                                       .optimizer = Sgd{.learning_rate = 0.05, .momentum = 0.9},
                                       .config = config,
                                       .verbose = false});
    std::vector<double> seconds;
    for (int i = 0; i < options.steps; ++i) {
      const Stopwatch watch;
      sgd.step();
      seconds.push_back(watch.seconds());
    }
    driver.push_back(median(seconds));
  }
  return {{"ranks", options.workers},         {"model", options.model}, {"seconds", median(own)},
          {"driver_seconds", median(driver)}, {"rounds", own},          {"driver_rounds", driver}};
}

void measure(const TrainerBench& options) {
  const std::map<std::string, Json (*)(const TrainerBench&)> parts{
      {"all-reduce", all_reduce}, {"report", report}, {"start", start}, {"step", step}};
  const auto found = parts.find(options.part);
  if (found == parts.end()) throw_invalid("there are all-reduce, report, start and step");
  std::printf("%s\n", found->second(options).dump().c_str());
}

}  // namespace

void register_train_functions() {
  register_function(kBegin, [] { return now(); });
  register_function(kAllReduce, time_all_reduce);
  register_function(kReport, time_report);
  register_function(kStep, time_step);
}

void add_trainer(CLI::App& app) {
  auto options = std::make_shared<TrainerBench>();
  CLI::App& trainer =
      *app.add_subcommand("trainer", "Time the overhead of a user's training loop, with functions on worker processes");
  trainer.add_option("part", options->part, "Part to measure: all-reduce, report, start or step");
  trainer.add_option("--workers", options->workers, "Worker processes")->check(CLI::Range(1, 256));
  trainer.add_option("--rounds", options->rounds, "Measurements of start and step")->check(CLI::Range(1, 1000));
  trainer.add_option("--floats", options->floats, "Lengths of the vectors of all-reduce")
      ->check(CLI::Range(1UL, 1UL << 36));
  trainer.add_option("--iterations", options->iterations, "Reports per rank")->check(CLI::Range(1, 10'000'000));
  trainer.add_option("--model", options->model, "Model of `step`");
  trainer.add_option("--steps", options->steps, "Steps of `step`")->check(CLI::Range(1, 1'000'000));
  trainer.add_flag("--json")->description("Accepted for uniformity; the output is always JSON");
  trainer.callback([options] { measure(*options); });
}

}  // namespace troupe::bench
