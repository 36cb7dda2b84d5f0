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

/// The quantities of a step that `troupe diff` compares bitwise between two runs.
struct StepHash {
  double loss = 0;
  double gradient_norm = 0;   ///< 0 if gradients are not clipped
  std::uint64_t weights = 0;  ///< checksum of the weights in canonical order
};

/// Writes the report of a run as JSON lines. There is one JSON object for each step, each epoch (after the epoch's last
/// step) and each evaluation between epochs. A profile also has one object. docs/command.md describes the objects. The
/// first key is "step" in the object of a step, and "epoch" in the object of an epoch. Bytes that are not UTF-8 are
/// replaced by U+FFFD.
class ReportFile {
 public:
  /// Opens the file `path`, or creates it.
  /// @param steps_done number of steps that a resumed run has done. From the first line of a later step on, the content
  /// of the file is deleted, and so is an incomplete last line. If `steps_done` is 0, all content is deleted.
  /// @throws Error bad_file if the file cannot be written, or is a FIFO without a reader. All other member functions
  /// throw it, too.
  ReportFile(const std::string& path, Precision precision, std::int64_t steps_done);

  /// Writes the line of a step. @param hash if set, its quantities are also written, as hexadecimal numbers
  void write(const StepReport& report, const std::optional<StepHash>& hash = {});
  /// Writes the line of an epoch.
  void write(const EpochReport& epoch);
  /// Writes the line of an evaluation between epochs, after step `step`.
  void write(const Evaluation& evaluation, EvaluationSet set, std::int64_t step);
  /// Writes the line of the profile: an object with the result of `profile_json` under the key "profile".
  void write(std::span<const ProfileRow> profile);
  void close() { file_.close(); }

 private:
  /// Writes `object` as one line. When this returns, the kernel has the line, so the line survives if the program is
  /// killed.
  void write_line(const nlohmann::ordered_json& object);

  Precision precision_;
  LogFile file_;
};

/// A report file whose failure does not end the training. If the file cannot be written, this object logs a warning,
/// and later calls of `write` have no effect.
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
