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

/// Returns `report` as one line of JSON, without the newline.
std::string line_of(const Report& report);
/// Returns the report in `line`, which `line_of` has written.
/// @throws nlohmann's exceptions if the line is not a report
Report report_from(const Json& line);

/// Writes the file of a trial's reports, with one line for each report and one line for each checkpoint. A checkpoint
/// includes the reports that the trial had made before. If the trial resumes from the checkpoint, it makes later
/// reports again, so these reports are removed from the file (`rewind`). All functions throw Error bad_file if the file
/// cannot be read or written.
class TrialReports {
 public:
  /// Opens and locks the file. If an earlier process of the trial still has the lock, waits up to ten seconds for its
  /// end. Such a process exists if the earlier search was killed and the process has not yet detected this.
  /// @throws Error in_use if the earlier process does not end within ten seconds
  explicit TrialReports(std::string path);

  /// Returns the number of reports in the file.
  std::int64_t count() const { return count_; }
  /// Writes `report`, and returns it with its number within the trial as the iteration.
  /// @param report a report of the trial's trainer; its iteration is the iteration of the trainer
  Report add(Report report);
  /// Writes the line of a checkpoint.
  /// @param number the number of the checkpoint
  /// @param iteration the last iteration of the trainer that the checkpoint includes
  void add_checkpoint(std::int64_t number, std::int64_t iteration);
  /// Removes the reports that the trial will make again. Must be called before the trial's function runs.
  /// @param checkpoint the number of the checkpoint from which the trial resumes. Reports that this checkpoint includes
  /// are kept. 0: there is no checkpoint, so all reports are removed
  void rewind(std::int64_t checkpoint);

 private:
  void write(std::string_view text) const;

  std::string path_;
  FileDescriptor file_;
  LockBeside lock_;
  std::int64_t count_ = 0;
};

/// Returns the reports in the file `path`; an empty list if the file does not exist. Ignores an incomplete last line.
/// @throws Error bad_file if the file is damaged
std::vector<Report> read_reports(const std::string& path);

}  // namespace troupe::tune
