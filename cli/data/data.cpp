#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/data/show.hpp"
#include "cli/run_options.hpp"
#include "troupe/transform.hpp"

namespace troupe::cli {
namespace {

constexpr std::int64_t kMostAsked = std::int64_t{1} << 31;

struct ShowOptions {
  std::string source;
  std::string html;
  std::string transform;
  std::int64_t samples = 0;
  std::uint64_t seed = 1;
};

void show_data(const ShowOptions& options) {
  TrainingData data = load_data(options.source, options.seed);
  if (!options.transform.empty()) data = data::transform(std::move(data), options.transform);
  std::vector<SetSummary> sets;
  const auto show = [&](const char* name, const std::shared_ptr<const DataSource>& set) {
    if (!set) return;
    sets.push_back(summarise(name, *set, set == data.train, {.samples = options.samples, .seed = options.seed}));
    std::fputs(printed_summary(sets.back()).c_str(), stdout);
    std::fflush(stdout);
  };
  show("training", data.train);
  show("test", data.test);
  show("validation", data.validation);
  if (!options.html.empty()) write_data_page(options.html, options.source, sets);
}

}  // namespace

void add_data(CLI::App& app) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App& data = *app.add_subcommand("data", "Look at data before training on it");
  data.require_subcommand(1);
  CLI::App& show = *data.add_subcommand("show", "Print statistics of samples, classes, targets and columns");
  show.add_option("SOURCE", options->source, "Data, as `train --data` takes it")->required()->check(not_empty());
  show.add_option("--html", options->html, "Also write charts and pictures to this file, as a page for a browser")
      ->check(not_empty());
  show.add_option("--transform", options->transform, "Transforms of the samples, as for train");
  show.add_option("--samples", options->samples,
                  "Samples to look at, evenly over each set; default: 100000, fewer if they are large")
      ->check(whole_number(1) & CLI::Range(std::int64_t{1}, kMostAsked));
  show.add_option("--seed", options->seed, "Seed of random data and random transforms")->check(whole_number(0));
  show.callback([options] { show_data(*options); });
}

}  // namespace troupe::cli
