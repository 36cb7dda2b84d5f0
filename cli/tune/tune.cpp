#include "troupe/tune.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "actors/tune/analysis.hpp"
#include "actors/tune/space.hpp"
#include "cli/commands.hpp"
#include "cli/train/command_line.hpp"
#include "cli/train/run/stop_signals.hpp"
#include "cli/train/run/training.hpp"
#include "cli/train/save_path.hpp"
#include "cli/tune/tune_options.hpp"
#include "cli/tune/tune_page.hpp"
#include "cli/words.hpp"

namespace troupe::cli {
namespace {

constexpr const char* kTrial = "troupe train";
constexpr const char* kArguments = "arguments";
constexpr const char* kWeights = "/weights.safetensors";

/// Trains with the values of one trial. This function runs in the process of the trial.
/// @param config the values of the trial, and under the key kArguments the arguments of `train` that all trials share
Json run_trial(const Json& config) {
  Json values = config;
  const TrainCommand train(values.at(kArguments).get<std::vector<std::string>>());
  values.erase(kArguments);
  auto words = train.words(values);
  const bool has_weights = flag_value(words, "--cross-validate").empty();  // because cross-validation saves no weights
  if (has_weights) words.insert(words.end(), {"--save", tune::trial_folder() + kWeights});
  TrainCommand::run(words);
  return {};
}

/// Prints a line about a trial that has ended or is restarted. Prints nothing about a running trial.
void say(const tune::Trial& trial, const std::string& metric) {
  if (trial.state == tune::TrialState::running) return;
  const auto last = tune::last_value(trial, metric);
  const std::string value = last ? ", " + metric + ' ' + Json(*last).dump() : "";
  std::printf("trial %d: %s%s, %zu reports, %.1f s%s%s\n", trial.number,
              trial.state == tune::TrialState::waiting ? "restarts" : to_string(trial.state), value.c_str(),
              trial.reports.size(), trial.seconds, trial.error.empty() ? "" : "; ", trial.error.c_str());
  std::fflush(stdout);
}

/// Prints a line about the best trial, and a command line that repeats this trial.
void say_best(const tune::Analysis& analysis, const TrainCommand& train, const std::string& metric) {
  const tune::Trial& best = analysis.best();
  const std::string weights = analysis.folder_of(best) + kWeights;
  std::printf("best is trial %d, with %s %s", best.number, metric.c_str(),
              Json(*tune::last_value(best, metric)).dump().c_str());
  if (std::filesystem::exists(weights)) std::printf("; its weights are in %s", weights.c_str());
  std::vector<std::string> words{"troupe", "train"};
  for (const std::string& word : train.words(best.config)) words.push_back(word);
  std::printf("\n%s\n", shell_text(words).c_str());
}

/// Returns whether `train` measures `metric` only if the option --metric names it.
bool is_of_train(const std::string& metric) {
  return metric != "loss" && metric != "accuracy" && metric != "r2" && metric != "train_loss" && metric != "cv";
}

/// Checks the command lines of all trials, before any trial starts. If there are more than 10,000 trials, checks the
/// first 10,000.
void check_trials(const TrainCommand& train, const tune::Options& search) {
  const tune::Space space(search.space);
  const std::int64_t trials = space.trials(search.num_samples);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(trials, 10'000); ++i) train.check(space.config(search.seed, i));
}

int search(const TuneOptions& options, std::vector<std::string> arguments) {
  const TrainCommand typed(arguments);
  tune::Options search = options.search(typed);
  if (typed.typed("--workers").empty() && !search.space.contains("workers") && !search.space.contains("num_workers"))
    arguments.insert(arguments.end(), {"--workers", std::to_string(options.cpus)});
  if (is_of_train(search.metric)) arguments.insert(arguments.end(), {"--metric", search.metric});
  if (!options.html.empty()) check_save_path(options.html);
  const TrainCommand train(arguments);
  check_trials(train, search);
  StopSignals stop;
  search.should_stop = [&stop] { return stop.came().has_value(); };
  search.on_change = [&search](const tune::Trial& trial) { say(trial, search.metric); };
  tune::Trainable trainable;
  trainable.function = kTrial;
  trainable.config = {{kArguments, arguments}};
  const tune::Analysis analysis = tune::run(trainable, search);
  std::cout << analysis << std::flush;
  analysis.write_reports(analysis.folder() + "/reports.jsonl");
  const auto write_page = [&] {
    if (!options.html.empty()) tune_page(analysis, search).write(options.html);
  };
  if (!analysis.is_complete()) {
    write_page();
    std::printf("the search is not finished; to resume:\n  %s\n", command_line_with({"--resume"}).c_str());
    return kSignalled + stop.came().value_or(0);
  }
  say_best(analysis, train, search.metric);
  std::fflush(stdout);
  write_page();
  return 0;
}

}  // namespace

void register_trial() { register_function(kTrial, run_trial); }

void add_tune(CLI::App& app, int& status) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App& tune = *app.add_subcommand(
      "tune", "Search for options of `train` with many trainings; the last line printed is the best one as a command");
  options->add_to(tune);
  tune.allow_extras();
  tune.footer("All options of `troupe train` can be given, too, for all trials.");
  tune.callback([options, &tune, &status] { status = search(*options, tune.remaining()); });
}

}  // namespace troupe::cli
