#include "cli/tune/tune_options.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "cli/run_options.hpp"
#include "models/files/strict_json.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"

namespace troupe::cli {
namespace {

constexpr std::array kHigher{"accuracy", "r2", "auc", "f1", "precision", "recall", "top5"};

Json read_space(const std::string& path) {
  constexpr int kDeepestSpace = 16;
  return parse_strictly(path, "it", InputFile(path).read_text(kMostText), kDeepestSpace);
}

/// Returns the value of an option that has the same value in all trials: the value that the user typed, or a single
/// number in the search space. Otherwise returns 0.
/// @param flag,key the option as it is typed, and its key in the search space
std::int64_t number_of(const Json& space, const TrainCommand& train, const std::string& flag, const std::string& key) {
  const std::string typed = train.typed(flag);
  if (!typed.empty()) return std::atoll(typed.c_str());
  return space.contains(key) && space[key].is_number_integer() ? space[key].get<std::int64_t>() : 0;
}

/// Returns the number of reports that each trial makes. With cross-validation, this is the number of folds, otherwise
/// the number of epochs. Returns 0 if the number is not known, or not the same for all trials.
std::int64_t reports_of(const Json& space, const TrainCommand& train) {
  const std::int64_t folds = number_of(space, train, "--cross-validate", "cross_validate");
  return folds > 0 ? folds : number_of(space, train, "--epochs", "epochs");
}

}  // namespace

void TuneOptions::add_to(CLI::App& tune) {
  tune.add_option("--space", space,
                  "JSON: an object of options of train, with {\"uniform\", \"loguniform\", \"quniform\", \"randint\", "
                  "\"choice\" or \"grid\": [...]} for values to draw")
      ->type_name("FILE")
      ->required();
  tune.add_option("--samples", samples, "Trials; with grids, per combination of their values")->check(whole_number(1));
  tune.add_option("--concurrent", concurrent, "Maximum concurrent trials; default: as many as the cores allow")
      ->default_str("")
      ->check(whole_number(1));
  tune.add_option("--cpus", cpus, "Cores per trial")->check(whole_number(1));
  tune.add_option("--gpus", gpus, "CUDA devices per trial, which sees no others; 0: trials share all")
      ->check(whole_number(0));
  tune.add_option("--memory", memory, "Private memory limit of each process, in megabytes")
      ->default_str("")
      ->check(whole_number(1));
  tune.add_option("--scheduler", scheduler, "Which trials are stopped early: none, or those that are behind")
      ->check(one_of({"fifo", "asha", "median"}));
  tune.add_option("--max-reports", max_reports,
                  "Reports (epochs, or folds) after which a trial is stopped; asha: default --epochs")
      ->default_str("")
      ->check(whole_number(1));
  tune.add_option("--grace", grace, "Epochs of each trial before it can be stopped")->check(whole_number(1));
  tune.add_option("--reduction", reduction, "asha: one trial in this many continues at each rung");
  tune.add_option("--metric", metric,
                  "Metric to compare trials: loss, accuracy, r2, train_loss, or another that train can measure");
  tune.add_option("--better", better, "Better values; default: lower, but higher for accuracy and the like")
      ->default_str("")
      ->check(one_of({"lower", "higher"}));
  tune.add_option("--search-seed", search_seed, "Seed of drawn values")->check(whole_number(0));
  tune.add_option("--out", out, "Folder of the search: reports, output and weights of trials");
  tune.add_flag("--resume", resume, "Resume the search in --out");
  tune.add_option("--max-failures", max_failures, "How often a lost trial is restarted")->check(whole_number(0));
  add_limit(tune, "--report-timeout", report_timeout,
            "Seconds without a report after which a trial counts as hung; 0: never");
  add_limit(tune, "--end-timeout", end_timeout, "Seconds after SIGTERM after which a trial is killed; 0: at once");
  tune.add_option("--html", html, "Write the results to this page");
}

tune::Options TuneOptions::search(const TrainCommand& train) const {
  tune::Options o;
  o.space = read_space(space);
  o.num_samples = samples;
  o.concurrent = concurrent;
  o.resources_per_trial = {.cpus = cpus, .gpus = gpus, .memory = static_cast<std::size_t>(memory) << 20};
  o.scheduler.grace = grace;
  o.scheduler.reduction = reduction;
  o.scheduler.max_iterations = max_reports;
  if (scheduler == "median") o.scheduler.kind = tune::SchedulerKind::median;
  if (scheduler == "asha") {
    o.scheduler.kind = tune::SchedulerKind::asha;
    if (max_reports == 0) o.scheduler.max_iterations = reports_of(o.space, train);
    if (o.scheduler.max_iterations == 0) throw_invalid("asha needs --epochs, or --max-reports if epochs are drawn");
  }
  o.metric = metric;
  const bool higher = better.empty() ? std::ranges::count(kHigher, metric) > 0 : better == "higher";
  o.better = higher ? Better::higher : Better::lower;
  o.seed = search_seed;
  o.folder = out;
  o.resume = resume;
  o.max_failures = max_failures;
  o.report_timeout = report_timeout;
  o.end_timeout = end_timeout;
  return o;
}

}  // namespace troupe::cli
