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

/// Quantities of a step by which `troupe diff` compares two runs bit by bit.
struct StepHash {
  double loss = 0;
  double gradient_norm = 0;   ///< 0 if gradients are not clipped
  std::uint64_t weights = 0;  ///< checksum of the weights in canonical order
};

/// Writes the report of a run as JSON lines. There is one object per step, one per epoch after its last step, and one
/// per evaluation between epochs. If there is a profile, it has an object, too. docs/command.md describes their
/// content. The first key is "step" in an object of a step, and "epoch" in that of an epoch. Bytes of texts that are
/// not UTF-8 become U+FFFD.
class ReportFile {
 public:
  /// Opens the file.
  /// @param steps_done number of steps that a resumed run has done. Lines of later steps, and an incomplete line, are
  /// cut off. If 0, the file is emptied.
  /// @throws Error bad_file, as all members do, also for a FIFO without a reader
  ReportFile(const std::string& path, Precision precision, std::int64_t steps_done);

  /// Writes the line of a step. @param hash if set, its quantities are added to the line as hexadecimal numbers
  void write(const StepReport& report, const std::optional<StepHash>& hash = {});
  /// Writes the line of an epoch.
  void write(const EpochReport& epoch);
  /// Writes the line of an evaluation between epochs, after step `step`.
  void write(const Evaluation& evaluation, EvaluationSet set, std::int64_t step);
  /// Writes the line of the profile: an object with the result of `profile_json` under the key "profile".
  void write(std::span<const ProfileRow> profile);
  void close() { file_.close(); }

 private:
  /// Writes a whole line. If the program is killed afterwards, the line is in the file.
  void write_line(const nlohmann::ordered_json& object);

  Precision precision_;
  LogFile file_;
};

/// Writes a report whose failure does not end the training: if the file cannot be written, logs a warning and drops the
/// report.
class ToleratedReport {
 public:
  /// Opens the report. @throws Error as the constructor of ReportFile
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
    log_line(LogLevel::warning, std::string(error.what()) + "; training continues without the report");
    report_.reset();
    broken_ = true;
  }

  std::optional<ReportFile> report_;
  bool broken_ = false;
};

}  // namespace troupe::cli
