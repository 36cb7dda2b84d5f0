#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// The option `--log`, which may be repeated.
struct MetricLogs {
  std::vector<std::string> texts;  ///< in the format of `callbacks::from_text`

  void add_to(CLI::App& app);
  /// @throws Error invalid_argument that lists the available logs
  void apply(Options& options) const;
  /// Returns whether `progress` is among the logs.
  bool shows_progress() const;
  /// Later reports are not passed to the logs.
  void end_reports() const { *reports_end_ = true; }
  /// Returns whether a log could not be written. That was logged once, and training continues without the log.
  bool is_broken() const { return *broken_; }

 private:
  std::shared_ptr<bool> broken_ = std::make_shared<bool>(false);
  std::shared_ptr<bool> reports_end_ = std::make_shared<bool>(false);
};

}  // namespace troupe::cli
