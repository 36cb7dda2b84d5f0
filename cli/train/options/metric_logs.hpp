#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// `--log`, which may be said again.
struct MetricLogs {
  std::vector<std::string> texts;  ///< as `callbacks::from_text` takes them

  void add_to(CLI::App& app);
  /// @throws Error invalid_argument that lists what there is
  void apply(Options& options) const;
  /// Whether progress is among them.
  bool shows_progress() const;
  /// What is reported from now on does not reach the logs.
  void end_reports() const { *reports_end_ = true; }
  /// Whether a log could not be written, which was told of once: training goes on without it.
  bool is_broken() const { return *broken_; }

 private:
  std::shared_ptr<bool> broken_ = std::make_shared<bool>(false);
  std::shared_ptr<bool> reports_end_ = std::make_shared<bool>(false);
};

}  // namespace troupe::cli
