#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "cli/profile.hpp"
#include "cli/train/run/epoch.hpp"
#include "runtime/files/log_file.hpp"
#include "runtime/log.hpp"
#include "troupe/sgd.hpp"

namespace troupe::cli {

/// By what two runs are compared, bit by bit.
struct StepHash {
  double loss = 0;
  double gradient_norm = 0;   ///< 0 where nothing is clipped
  std::uint64_t weights = 0;  ///< checksum, in canonical order
};

/// JSON lines, one object a step, one an epoch behind its last step, and one for the profile where there is one; what
/// they hold says docs/command.md. An object of a step begins with "step", of an epoch with "epoch". What is no UTF-8
/// in a text becomes U+FFFD.
class ReportFile {
 public:
  /// @param steps_done of the run that goes on in the file: what it tells of them stays, and what it tells of later
  /// steps, or in half a line, is cut off. With 0 it begins anew.
  /// @throws Error bad_file, as the others do; also for a FIFO that nobody reads.
  ReportFile(const std::string& path, Precision precision, std::int64_t steps_done);

  /// @param hash to be told beside it.
  void write(const StepReport& report, const std::optional<StepHash>& hash = {});
  void write(const EpochReport& epoch);
  /// Of an evaluation between epochs, after so many steps.
  void write(const Evaluation& evaluation, EvaluationSet set, std::int64_t step);
  /// One object of its own: what `profile_json` makes, under "profile".
  void write(std::span<const ProfileRow> profile);
  void close() { file_.close(); }

 private:
  /// The line is whole, even if the program is killed right after.
  void write_line(const nlohmann::ordered_json& object);

  Precision precision_;
  LogFile file_;
};

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
