#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "cli/run_options.hpp"
#include "models/data/data_registry.hpp"
#include "runtime/clock.hpp"
#include "runtime/files/temporary.hpp"
#include "troupe/predictor.hpp"

namespace troupe::bench {
namespace {

struct PredictOptions {
  std::string model = "cnn";
  std::string data = "fashion-mnist";
  int threads = 2;
  int batch = 256;
  int rounds = 9;
  bool json = false;
};

std::vector<float> first_samples(const DataSource& source, std::int64_t count) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<float> values(numbers.size() * static_cast<std::size_t>(source.info().sample_size()));
  std::vector<std::int32_t> labels(source.info().num_classes > 0 ? numbers.size() : 0);
  std::vector<float> targets(numbers.size() * static_cast<std::size_t>(source.info().num_targets));
  source.fill({.samples = numbers, .values = values, .labels = labels, .targets = targets});
  return values;
}

/// Returns the median seconds for a single sample.
double seconds_of_one(const Predictor& predictor, std::span<const float> sample) {
  constexpr int kCalls = 200;
  std::vector<double> seconds;
  std::vector<float> outputs(static_cast<std::size_t>(predictor.num_outputs()));
  Stopwatch watch;
  for (int i = 0; i < kCalls; ++i) {
    predictor.outputs(sample, outputs);
    seconds.push_back(watch.lap());
  }
  return median(seconds);
}

/// Returns the samples per second of threads that each predict their own batches.
double predicted_rate(const Predictor& predictor, std::span<const float> batch, std::size_t samples, int threads) {
  constexpr int kBatches = 40;
  const auto work = [&] {
    std::vector<float> outputs(samples * static_cast<std::size_t>(predictor.num_outputs()));
    for (int i = 0; i < kBatches; ++i) predictor.outputs(batch, outputs);
  };
  Stopwatch watch;
  {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  return static_cast<double>(samples) * kBatches * threads / watch.lap();
}

double evaluated_rate(DistributedSGD& sgd) {
  Stopwatch watch;
  return static_cast<double>(sgd.evaluate().samples) / watch.lap();
}

/// Returns a predictor with the initial weights of a run, by way of a file.
Predictor predictor_of(DistributedSGD& sgd) {
  const std::filesystem::path path =
      temporary_folder() / ("troupe-bench-" + std::to_string(::getpid()) + ".safetensors");
  sgd.save(path);
  Predictor predictor(path);
  std::filesystem::remove(path);
  return predictor;
}

void measure(const PredictOptions& options) {
  Options run{.num_workers = options.threads, .verbose = false};
  run.config = nlohmann::json{{"data", options.data}}.dump();
  DistributedSGD sgd(options.model, run);
  const Predictor predictor = predictor_of(sgd);
  const auto source = load_test_set(options.data, 1);
  const std::vector<float> batch = first_samples(*source, options.batch);
  const auto one = std::span(batch).first(batch.size() / static_cast<std::size_t>(options.batch));
  std::vector<double> single;
  std::vector<double> predicted;
  std::vector<double> evaluated;
  for (int round = -1; round < options.rounds; ++round) {  // the first round warms up
    const double seconds = seconds_of_one(predictor, one);
    const double rate = predicted_rate(predictor, batch, static_cast<std::size_t>(options.batch), options.threads);
    const double evaluation = evaluated_rate(sgd);
    if (round < 0) continue;
    single.push_back(seconds);
    predicted.push_back(rate);
    evaluated.push_back(evaluation);
  }
  const double ratio = median(predicted) / median(evaluated);
  if (options.json) {
    const nlohmann::ordered_json result{{"threads", options.threads},          {"batch", options.batch},
                                        {"single_seconds", median(single)},    {"predicted_rate", median(predicted)},
                                        {"evaluated_rate", median(evaluated)}, {"ratio", ratio}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf(
        "one sample %.6f s; batches of %d in %d threads %.0f samples/s; evaluation by %d workers %.0f samples/s; ratio "
        "%.2f (medians of %d)\n",
        median(single), options.batch, options.threads, median(predicted), options.threads, median(evaluated), ratio,
        options.rounds);
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App& predict =
      *app.add_subcommand("predict", "Time a Predictor with one sample and in threads, against an evaluation");
  predict.add_option("--model", options->model, "Model, used with its initial weights");
  predict.add_option("--data", options->data, "Data with a test set");
  predict.add_option("--threads", options->threads, "Threads, and workers of the evaluation")
      ->check(CLI::Range(1, 1024));
  predict.add_option("--batch", options->batch, "Samples per call")->check(CLI::Range(1, 10'000));
  predict.add_option("--rounds", options->rounds, "Measurements of each side")->check(CLI::Range(1, 10'000));
  predict.add_flag("--json", options->json, "Print one JSON object");
  predict.callback([options] { measure(*options); });
}

}  // namespace troupe::bench
