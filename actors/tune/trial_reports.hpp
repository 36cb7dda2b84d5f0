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

/// Returns a report as one line of JSON, without the newline.
std::string line_of(const Report& report);
/// Returns the report in a line that `line_of` has written.
/// @throws nlohmann's exceptions if the line is not a report
Report report_from(const Json& line);

/// Writes the file of a trial's reports, with one line per report. The file also has a line for each checkpoint. If the
/// trial resumes from a checkpoint, it repeats the reports that the checkpoint does not include. All functions throw
/// Error bad_file if the file cannot be read or written.
class TrialReports {
 public:
  /// Opens and locks the file. Waits up to ten seconds if an earlier process of the trial still uses it: such a process
  /// ends when it detects that its search was killed.
  /// @throws Error in_use if the earlier process does not end in time
  explicit TrialReports(std::string path);

  /// Returns the number of reports in the file.
  std::int64_t count() const { return count_; }
  /// Writes a report, and returns it with its number in the trial as the iteration.
  /// @param report its iteration is the trainer's
  Report add(Report report);
  /// Writes the line of a checkpoint.
  /// @param number the number of the checkpoint
  /// @param iteration the number of the trainer's reports that the checkpoint includes
  void add_checkpoint(std::int64_t number, std::int64_t iteration);
  /// Removes the reports that the trial will repeat. Must be called before the function runs.
  /// @param checkpoint the number of the checkpoint from which the trial resumes; the reports that it includes are
  /// kept. 0: there is no checkpoint, and all reports are removed
  void rewind(std::int64_t checkpoint);

 private:
  void write(std::string_view text) const;

  std::string path_;
  FileDescriptor file_;
  LockBeside lock_;
  std::int64_t count_ = 0;
};

/// Returns the reports in a file; an empty list if there is no file. Ignores an incomplete last line.
/// @throws Error bad_file if the file is damaged
std::vector<Report> read_reports(const std::string& path);

}  // namespace troupe::tune
