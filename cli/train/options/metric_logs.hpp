#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The logs of training metrics that the option `--log` asks for.
struct MetricLogs {
  std::vector<std::string> texts;  ///< in the format of `callbacks::from_text`

  void add_to(CLI::App& app);
  /// Adds the logs to the library's callbacks. @throws Error invalid_argument that lists the available logs
  void apply(Options& options) const;
  /// Returns whether the log `progress` is among the logs, so that the command must not show progress itself.
  bool shows_progress() const;
  /// Stops passing reports to the logs.
  void end_reports() const { *reports_end_ = true; }
  /// Returns whether a log could not be written. That failure was reported once, and training continues without the
  /// log.
  bool is_broken() const { return *broken_; }

 private:
  std::shared_ptr<bool> broken_ = std::make_shared<bool>(false);
  std::shared_ptr<bool> reports_end_ = std::make_shared<bool>(false);
};

}  // namespace troupe::cli
