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

/// Hashes with which two runs are compared bit by bit.
struct StepHash {
  double loss = 0;
  double gradient_norm = 0;   ///< 0 if gradients are not clipped
  std::uint64_t weights = 0;  ///< checksum, in canonical order
};

/// JSON lines: one object per step, one per epoch after its last step, and one for the profile if there is one.
/// docs/command.md describes their content. An object of a step begins with "step", one of an epoch with "epoch". Bytes
/// of texts that are not UTF-8 become U+FFFD.
class ReportFile {
 public:
  /// @param steps_done steps of the run that is resumed in this file: lines of later steps and an incomplete line are
  /// cut off. With 0, the file is emptied.
  /// @throws Error bad_file, as all members do; also for a FIFO without a reader.
  ReportFile(const std::string& path, Precision precision, std::int64_t steps_done);

  /// @param hash hashes to add to the line.
  void write(const StepReport& report, const std::optional<StepHash>& hash = {});
  void write(const EpochReport& epoch);
  /// Writes an evaluation between epochs, after `step` steps.
  void write(const Evaluation& evaluation, EvaluationSet set, std::int64_t step);
  /// Writes one object with the result of `profile_json` under "profile".
  void write(std::span<const ProfileRow> profile);
  void close() { file_.close(); }

 private:
  /// Writes a line whole, even if the program is killed right after.
  void write_line(const nlohmann::ordered_json& object);

  Precision precision_;
  LogFile file_;
};

/// A report whose failure does not end the training: if it cannot be written, training continues without it.
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
    log_line(LogLevel::warning, std::string(error.what()) + "; training continues without the report");
    report_.reset();
    broken_ = true;
  }

  std::optional<ReportFile> report_;
  bool broken_ = false;
};

}  // namespace troupe::cli
