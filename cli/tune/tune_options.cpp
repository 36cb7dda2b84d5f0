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

/// What is typed, or stands in the space as a plain number; 0: neither.
std::int64_t number_of(const Json& space, const TrainCommand& train, const std::string& flag, const std::string& key) {
  const std::string typed = train.typed(flag);
  if (!typed.empty()) return std::atoll(typed.c_str());
  return space.contains(key) && space[key].is_number_integer() ? space[key].get<std::int64_t>() : 0;
}

/// Each epoch is a report, or each fold.
std::int64_t reports_of(const Json& space, const TrainCommand& train) {
  const std::int64_t folds = number_of(space, train, "--cross-validate", "cross_validate");
  return folds > 0 ? folds : number_of(space, train, "--epochs", "epochs");
}

}  // namespace

void TuneOptions::add_to(CLI::App& tune) {
  tune.add_option("--space", space,
                  "JSON: an object of options of train, with {\"uniform\", \"loguniform\", \"quniform\", \"randint\", "
                  "\"choice\" or \"grid\": [...]} where values are drawn")
      ->type_name("FILE")
      ->required();
  tune.add_option("--samples", samples, "Trials; with grids, of each of their combinations")->check(whole_number(1));
  tune.add_option("--concurrent", concurrent, "Trials at once, at most; unless told as many as there are cores for")
      ->default_str("")
      ->check(whole_number(1));
  tune.add_option("--cpus", cpus, "Cores of each trial")->check(whole_number(1));
  tune.add_option("--memory", memory, "Megabytes that each process of a trial may have of its own")
      ->default_str("")
      ->check(whole_number(1));
  tune.add_option("--scheduler", scheduler, "Which trials are ended before their time: none, or who is behind")
      ->check(one_of({"fifo", "asha", "median"}));
  tune.add_option("--max-reports", max_reports,
                  "Reports (epochs, or folds), behind which a trial is ended; of asha unless told --epochs")
      ->default_str("")
      ->check(whole_number(1));
  tune.add_option("--grace", grace, "Epochs that each trial has before it can be ended")->check(whole_number(1));
  tune.add_option("--reduction", reduction, "Of asha: one trial in so many goes on at each rung");
  tune.add_option("--metric", metric,
                  "By which trials are compared: loss, accuracy, r2, train_loss, or another that train can measure");
  tune.add_option("--better", better, "Which of its values; unless told lower, but of accuracy and the like higher")
      ->default_str("")
      ->check(one_of({"lower", "higher"}));
  tune.add_option("--search-seed", search_seed, "Of what is drawn")->check(whole_number(0));
  tune.add_option("--out", out, "Folder that keeps the search: reports, what trials print, their weights");
  tune.add_flag("--resume", resume, "Go on with the search in --out");
  tune.add_option("--max-failures", max_failures, "How often a trial may be lost and begin again")
      ->check(whole_number(0));
  add_limit(tune, "--report-timeout", report_timeout, "Seconds without a report after which a trial hangs; 0: never");
  add_limit(tune, "--end-timeout", end_timeout,
            "Seconds that a trial may take to end, after SIGTERM, before it is killed; 0: none");
  tune.add_option("--html", html, "Write what was found to this page");
}

tune::Options TuneOptions::search(const TrainCommand& train) const {
  tune::Options o;
  o.space = read_space(space);
  o.num_samples = samples;
  o.concurrent = concurrent;
  o.resources_per_trial = {.cpus = cpus, .memory = static_cast<std::size_t>(memory) << 20};
  o.scheduler.grace = grace;
  o.scheduler.reduction = reduction;
  o.scheduler.max_iterations = max_reports;
  if (scheduler == "median") o.scheduler.kind = tune::SchedulerKind::median;
  if (scheduler == "asha") {
    o.scheduler.kind = tune::SchedulerKind::asha;
    if (max_reports == 0) o.scheduler.max_iterations = reports_of(o.space, train);
    if (o.scheduler.max_iterations == 0) throw_invalid("asha needs --epochs, or --max-reports where epochs are drawn");
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
