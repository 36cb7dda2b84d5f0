#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/program/commands.hpp"
#include "bench/program/median.hpp"
#include "cli/run_options.hpp"
#include "runtime/clock.hpp"

namespace troupe::bench {
namespace {

struct FirstStepOptions {
  cli::CommandOptions run;
  int steps = 20;
  bool json = false;
};

void measure(const FirstStepOptions& options) {
  DistributedSGD sgd = options.run.start();
  Stopwatch watch;
  sgd.warmup();
  const double warmup = watch.lap();
  sgd.step();
  const double first = watch.lap();
  std::vector<double> others;
  for (int i = 0; i < options.steps; ++i) {
    sgd.step();
    others.push_back(watch.lap());
  }
  const double usual = median(others);
  if (options.json) {
    const nlohmann::ordered_json result{
        {"warmup_seconds", warmup}, {"first_seconds", first}, {"step_seconds", usual}, {"ratio", first / usual}};
    std::printf("%s\n", result.dump().c_str());
  } else {
    std::printf("warmup() %.4f s, first step %.4f s, median of the next %d steps %.4f s, ratio %.2f\n", warmup, first,
                options.steps, usual, first / usual);
  }
}

}  // namespace

void add_first_step(CLI::App& app) {
  auto options = std::make_shared<FirstStepOptions>();
  CLI::App& first = *app.add_subcommand("first-step", "Time the first step after warmup() against the next steps");
  options->run.add_to(first);
  first.add_option("--steps", options->steps, "Number of next steps")->check(CLI::Range(1, 100'000));
  first.add_flag("--json", options->json, "Print one JSON object");
  first.callback([options] { measure(*options); });
}

}  // namespace troupe::bench
