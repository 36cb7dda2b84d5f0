#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The logs of training metrics that the user has requested with the option `--log`.
struct MetricLogs {
  std::vector<std::string> texts;  ///< the values of --log, in the format of `callbacks::from_text`

  void add_to(CLI::App& app);
  /// Makes the logs, and adds them to the callbacks in `options`.
  /// @throws Error invalid_argument for an unknown log; the message lists the available logs
  void apply(Options& options) const;
  /// Returns whether one of the logs is `progress`. If so, the command must not show progress itself.
  bool shows_progress() const;
  /// Makes the logs ignore all later reports.
  void end_reports() const { *reports_end_ = true; }
  /// Returns whether a log could not be written. In that case, a warning has been logged, and training continues
  /// without this log.
  bool is_broken() const { return *broken_; }

 private:
  std::shared_ptr<bool> broken_ = std::make_shared<bool>(false);
  std::shared_ptr<bool> reports_end_ = std::make_shared<bool>(false);
};

}  // namespace troupe::cli
