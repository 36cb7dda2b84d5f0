#pragma once

#include <cstdio>
#include <optional>
#include <utility>

#include "cli/train/run/report_file.hpp"
#include "runtime/log.hpp"

namespace troupe::cli {

/// A report that costs no weights: when it cannot be written any more, training goes on without it.
class ToleratedReport {
 public:
  /// @throws Error as ReportFile
  void open(const std::string& path, Precision precision, std::int64_t steps_done) {
    report_.emplace(path, precision, steps_done);
  }

  bool is_open() const { return report_.has_value(); }
  bool is_broken() const { return broken_; }

  template <class... What>
  void write(const What&... what) {
    tolerating([&] { report_->write(what...); });
  }
  void close() {
    tolerating([&] { report_->close(); });
    report_.reset();
  }

 private:
  template <class Work>
  void tolerating(const Work& work) try {
    if (report_) work();
  } catch (const Error& error) {
    log_line(LogLevel::warning, std::string(error.what()) + "; training goes on without the report");
    report_.reset();
    broken_ = true;
  }

  std::optional<ReportFile> report_;
  bool broken_ = false;
};

}  // namespace troupe::cli
