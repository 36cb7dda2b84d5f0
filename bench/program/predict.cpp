#include <cstdio>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "cli/run_options.hpp"
#include "models/data/data_registry.hpp"
#include "runtime/clock.hpp"
#include "troupe/predictor.hpp"

namespace troupe::bench {
namespace {

struct PredictOptions {
  std::string load;
  std::string model = "cnn";
  std::string data = "fashion-mnist";
  int threads = 2;
  int batch = 256;
  int rounds = 9;
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

/// The median of the seconds that one sample by itself takes.
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

/// Samples a second of threads that each give batches of their own.
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

void measure(const PredictOptions& options) {
  const Predictor predictor(options.load);
  const auto source = load_test_set(options.data, 1);
  const std::vector<float> batch = first_samples(*source, options.batch);
  const auto one = std::span(batch).first(batch.size() / static_cast<std::size_t>(options.batch));
  Options run{.num_workers = options.threads, .verbose = false};
  run.config = R"({"data": ")" + options.data + R"("})";
  DistributedSGD sgd(options.model, run);
  sgd.load(options.load);
  std::vector<double> single;
  std::vector<double> predicted;
  std::vector<double> evaluated;
  for (int round = -1; round < options.rounds; ++round) {  // the first makes what the others find
    const double seconds = seconds_of_one(predictor, one);
    const double rate = predicted_rate(predictor, batch, static_cast<std::size_t>(options.batch), options.threads);
    const double evaluation = evaluated_rate(sgd);
    if (round < 0) continue;
    single.push_back(seconds);
    predicted.push_back(rate);
    evaluated.push_back(evaluation);
  }
  std::printf(
      "one sample %.6f s; batches of %d on %d threads %.0f samples/s; evaluation on %d workers %.0f samples/s; "
      "ratio %.2f (medians of %d)\n",
      median(single), options.batch, options.threads, median(predicted), options.threads, median(evaluated),
      median(predicted) / median(evaluated), options.rounds);
}

}  // namespace

void add_predict(CLI::App& app) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App& predict = *app.add_subcommand("predict", "Time a Predictor, alone and in threads, against an evaluation");
  predict.add_option("--load", options->load, "Weights that `troupe train --save` wrote")->required();
  predict.add_option("--model", options->model, "Whose they are, for the evaluation");
  predict.add_option("--data", options->data, "With a test set");
  predict.add_option("--threads", options->threads, "And workers of the evaluation")->check(CLI::Range(1, 1024));
  predict.add_option("--batch", options->batch, "Samples of a call")->check(CLI::Range(1, 10'000));
  predict.add_option("--rounds", options->rounds, "Measurements of each")->check(CLI::Range(1, 10'000));
  predict.callback([options] { measure(*options); });
}

}  // namespace troupe::bench
