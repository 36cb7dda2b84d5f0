#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>
#include <vector>

#include "bench/program/commands.hpp"
#include "cli/run_options.hpp"
#include "models/data/batches/part_groups.hpp"
#include "runtime/clock.hpp"
#include "troupe/data.hpp"

namespace troupe::bench {
namespace {

struct ReadOptions {
  std::string data;
  int threads = 2;
  int batch = 32;
  bool json = false;
};

/// Reads all batches of a data set. Each thread repeatedly takes the next batch.
void read_all(const DataSource& set, const ReadOptions& options) {
  const std::int64_t samples = set.info().num_samples;
  const std::vector<Stretch> parts = all_parts(set);
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    std::vector<std::int64_t> numbers;
    std::vector<float> values;
    std::vector<std::int32_t> labels;
    std::vector<float> targets;
    for (std::int64_t first = next.fetch_add(options.batch); first < samples; first = next.fetch_add(options.batch)) {
      numbers.resize(static_cast<std::size_t>(std::min<std::int64_t>(options.batch, samples - first)));
      std::iota(numbers.begin(), numbers.end(), first);
      values.resize(numbers.size() * static_cast<std::size_t>(set.info().sample_size()));
      labels.resize(set.info().num_labels(numbers.size()));
      targets.resize(numbers.size() * static_cast<std::size_t>(set.info().num_targets));
      announce_from(set, parts, first);
      set.fill({.samples = numbers, .values = values, .labels = labels, .targets = targets});
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < options.threads; ++i) others.emplace_back(work);
  work();
}

void measure(const ReadOptions& options) {
  Stopwatch watch;
  const TrainingData data = load_data(options.data);
  const double loaded = watch.lap();
  read_all(*data.train, options);
  const double rate = static_cast<double>(data.train->info().num_samples) / watch.lap();
  if (options.json)
    std::printf("%s\n",
                nlohmann::json{
                    {"load_seconds", loaded}, {"samples", data.train->info().num_samples}, {"samples_per_second", rate}}
                    .dump()
                    .c_str());
  else
    std::printf("loaded in %.3f s, then %.0f samples/s of %lld\n", loaded, rate,
                static_cast<long long>(data.train->info().num_samples));
}

}  // namespace

void add_read(CLI::App& app) {
  auto options = std::make_shared<ReadOptions>();
  CLI::App& read = *app.add_subcommand("read", "Time loading data and reading each training sample once");
  read.add_option("--data", options->data, "Data, as for `troupe train`")->required();
  read.add_option("--threads", options->threads, "Reading threads")->check(cli::whole_number(1));
  read.add_option("--batch", options->batch, "Samples per read of a thread")->check(cli::whole_number(1));
  read.add_flag("--json", options->json, "Print one JSON object");
  read.callback([options] { measure(*options); });
}

}  // namespace troupe::bench
