#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/tune/train_command.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {

/// The options of `troupe tune`, without those of `train`.
struct TuneOptions {
  std::string space;
  int samples = 10;
  int concurrent = 0;
  int cpus = 1;
  std::string scheduler = "fifo";
  std::int64_t max_reports =
      0;  ///< maximum number of reports of a trial; 0: for asha the number of epochs or folds, else unlimited
  std::int64_t grace = tune::Scheduler().grace;
  double reduction = tune::Scheduler().reduction;
  std::string metric = "loss";
  std::string better;  ///< "higher" or "lower"; empty: higher for metrics such as accuracy, else lower
  std::uint64_t search_seed = 1;
  std::string out = "tune";
  bool resume = false;
  int max_failures = tune::Options().max_failures;
  std::chrono::milliseconds end_timeout = tune::Options().end_timeout;
  std::chrono::milliseconds report_timeout = tune::Options().report_timeout;
  std::int64_t memory = 0;  ///< memory limit of a trial in megabytes
  std::string html;

  void add_to(CLI::App& tune);
  /// Returns the library's options for the search. @param train the command of each trial @throws Error bad_file,
  /// invalid_argument
  tune::Options search(const TrainCommand& train) const;
};

}  // namespace troupe::cli
