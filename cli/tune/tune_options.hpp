#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/tune/train_command.hpp"
#include "troupe/tune.hpp"

namespace troupe::cli {

/// The options of `troupe tune`, except for those of `train`.
struct TuneOptions {
  std::string space;
  int samples = 10;
  int concurrent = 0;
  int cpus = 1;
  std::string scheduler = "fifo";
  std::int64_t max_reports = 0;  ///< 0: the number of epochs
  std::int64_t grace = tune::Scheduler().grace;
  double reduction = tune::Scheduler().reduction;
  std::string metric = "loss";
  std::string better;  ///< empty: higher for metrics such as accuracy, else lower
  std::uint64_t search_seed = 1;
  std::string out = "tune";
  bool resume = false;
  int max_failures = tune::Options().max_failures;
  std::chrono::milliseconds end_timeout = tune::Options().end_timeout;
  std::chrono::milliseconds report_timeout = tune::Options().report_timeout;
  std::int64_t memory = 0;  ///< megabytes
  std::string html;

  void add_to(CLI::App& tune);
  /// @param train the command of each trial. @throws Error bad_file, invalid_argument
  tune::Options search(const TrainCommand& train) const;
};

}  // namespace troupe::cli
