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

/// A report as a line of JSON, without its end.
std::string line_of(const Report& report);
/// @throws nlohmann's exceptions for what is none
Report report_from(const Json& line);

/// The reports of a trial in its file, a line each, and a line for each checkpoint that the trial can go on from: what
/// was reported behind it is reported again. All throw Error bad_file.
class TrialReports {
 public:
  /// Waits for the process that has had the file before, which ends where its search was killed.
  /// @throws Error in_use where that does not end
  explicit TrialReports(std::string path);

  /// How many reports there are.
  std::int64_t count() const { return count_; }
  /// Returns it with its number in the trial.
  Report add(Report report);
  /// @param iteration of the trainer's reports that it holds
  void add_checkpoint(std::int64_t number, std::int64_t iteration);
  /// Before the function is called: keeps what was reported before the checkpoint of this number, the newest; 0: there
  /// is none, and the file begins anew.
  void rewind(std::int64_t checkpoint);

 private:
  void write(std::string_view text) const;

  std::string path_;
  FileDescriptor file_;
  LockBeside lock_;
  std::int64_t count_ = 0;
};

/// The reports in such a file; none where there is no file. A last line that is not whole is passed over.
/// @throws Error bad_file for one that is damaged
std::vector<Report> read_reports(const std::string& path);

}  // namespace troupe::tune
