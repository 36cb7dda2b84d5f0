#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/file_descriptor.hpp"
#include "runtime/files/file_lock.hpp"
#include "troupe/callback.hpp"
#include "troupe/json.hpp"

namespace troupe::tune {

/// Returns a report as a line of JSON, without the newline.
std::string line_of(const Report& report);
/// @throws nlohmann's exceptions if the line is not a report
Report report_from(const Json& line);

/// The file of a trial's reports, with one line per report. It also has one line per checkpoint from which the trial
/// can resume; reports after that line are then repeated. All functions throw Error bad_file.
class TrialReports {
 public:
  /// Waits for the process that used the file before, which ends if its search was killed.
  /// @throws Error in_use if that process does not end
  explicit TrialReports(std::string path);

  /// Returns the number of reports.
  std::int64_t count() const { return count_; }
  /// Writes a report, and returns it with its number in the trial.
  Report add(Report report);
  /// @param iteration number of the trainer's reports that the checkpoint includes
  void add_checkpoint(std::int64_t number, std::int64_t iteration);
  /// Must be called before the function runs. Keeps the reports up to the newest checkpoint, which has this number. 0:
  /// there is no checkpoint, and the file starts empty.
  void rewind(std::int64_t checkpoint);

 private:
  void write(std::string_view text) const;

  std::string path_;
  FileDescriptor file_;
  LockBeside lock_;
  std::int64_t count_ = 0;
};

/// Returns the reports in a file; none if there is no file. Ignores an incomplete last line.
/// @throws Error bad_file if the file is damaged
std::vector<Report> read_reports(const std::string& path);

}  // namespace troupe::tune
