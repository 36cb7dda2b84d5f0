#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/tune/train_command.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {

/// The options of the command `troupe tune`, without the options that it shares with `train`.
struct TuneOptions {
  std::string space;
  int samples = 10;
  int concurrent = 0;
  int cpus = 1;
  int gpus = 0;
  std::string scheduler = "fifo";
  /// Maximum number of reports of a trial; 0: with the scheduler asha, the number of epochs or folds; with other
  /// schedulers, unlimited.
  std::int64_t max_reports = 0;
  std::int64_t grace = tune::Scheduler().grace;
  double reduction = tune::Scheduler().reduction;
  std::string metric = "loss";
  /// Which values of `metric` are better: "higher" or "lower"; empty: "higher" for metrics such as accuracy, else
  /// "lower".
  std::string better;
  std::uint64_t search_seed = 1;
  std::string out = "tune";
  bool resume = false;
  int max_failures = tune::Options().max_failures;
  std::chrono::milliseconds end_timeout = tune::Options().end_timeout;
  std::chrono::milliseconds report_timeout = tune::Options().report_timeout;
  std::int64_t memory = 0;  ///< memory limit of a trial in megabytes; 0: no limit
  std::string html;

  void add_to(CLI::App& tune);
  /// Converts these options to the library's options of a search. @param train the command of each trial
  /// @throws Error bad_file, invalid_argument
  tune::Options search(const TrainCommand& train) const;
};

}  // namespace troupe::cli
