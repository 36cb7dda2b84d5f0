#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "troupe/trainer.hpp"

namespace troupe {

/// Combines the reports of all ranks into combined reports: the n-th reports of all ranks form row n, and a combined
/// report contains one or more consecutive rows. This class only stores and combines values; it sends no messages.
class ReportRows {
 public:
  /// @param ranks the number of ranks
  /// @throws Error invalid_argument if an option is invalid
  ReportRows(ReportOptions options, int ranks);

  /// Adds the next report of rank `rank`.
  /// @param bytes the size of `metrics` as JSON text, in bytes
  /// @throws Error invalid_argument if more than 256 MiB of reports wait for ranks that have made fewer reports
  void add(int rank, Json metrics, std::size_t bytes);
  /// Records that rank `rank` makes no more reports, so combined reports no longer wait for this rank.
  void end(int rank);
  /// Removes and returns the next combined report. Returns std::nullopt if this report must wait for the reports of a
  /// rank that has not ended.
  std::optional<Json> next();
  /// Returns the number of reports that rank `rank` has made.
  std::int64_t reported(int rank) const { return reported_[static_cast<std::size_t>(rank)]; }
  /// Returns how many reports of each rank are contained in the combined reports that `next` has returned.
  std::int64_t iteration() const { return iteration_; }

 private:
  struct Row {
    std::vector<Json> metrics;  ///< by rank: the rank's report in this row; null if the rank has not made this report
    std::size_t bytes = 0;
  };

  /// Returns true if each rank has added its report to the row or has ended.
  bool complete(const Row& row) const;
  bool all_ended() const;
  std::size_t rows_due();
  [[noreturn]] void throw_behind() const;
  Json aggregated(std::size_t rows) const;

  ReportOptions options_;
  std::vector<std::int64_t> reported_;  ///< by rank
  std::vector<bool> ended_;
  std::deque<Row> rows_;      ///< reports that are not combined yet
  std::size_t complete_ = 0;  ///< the number of complete rows, which are at the front of `rows_`
  std::size_t waiting_ = 0;   ///< size of the reports in all incomplete rows, in bytes
  std::int64_t iteration_ = 0;
};

}  // namespace troupe
