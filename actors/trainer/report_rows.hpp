#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "troupe/trainer.hpp"

namespace troupe {

/// Combines the n-th reports of all ranks into one report. This class only stores and combines values; it sends no
/// messages.
class ReportRows {
 public:
  /// @param ranks the number of ranks
  /// @throws Error invalid_argument if an option is invalid
  ReportRows(ReportOptions options, int ranks);

  /// Adds the next report of a rank.
  /// @param bytes the size of the metrics as text
  /// @throws Error invalid_argument if more than 256 MiB of reports wait for ranks that have made fewer reports
  void add(int rank, Json metrics, std::size_t bytes);
  /// Records that a rank sends no more reports. Later reports do not wait for this rank.
  void end(int rank);
  /// Returns the metrics of the next combined report. Returns std::nullopt as long as a rank that still reports has not
  /// made its part of this report.
  std::optional<Json> next();
  /// Returns the number of reports that a rank has made.
  std::int64_t reported(int rank) const { return reported_[static_cast<std::size_t>(rank)]; }
  /// Returns the number of reports of each rank that are contained in the combined reports so far.
  std::int64_t iteration() const { return iteration_; }

 private:
  struct Row {
    std::vector<Json> metrics;  ///< by rank: the n-th report of the rank; null if the rank has not made it
    std::size_t bytes = 0;
  };

  /// Returns true if no rank can still add its report to the row.
  bool complete(const Row& row) const;
  bool all_ended() const;
  std::size_t rows_due();
  [[noreturn]] void throw_behind() const;
  Json aggregated(std::size_t rows) const;

  ReportOptions options_;
  std::vector<std::int64_t> reported_;  ///< by rank
  std::vector<bool> ended_;
  std::deque<Row> rows_;      ///< reports that are not combined yet
  std::size_t complete_ = 0;  ///< the number of complete rows, which come first
  std::size_t waiting_ = 0;   ///< size of the incomplete rows, in bytes
  std::int64_t iteration_ = 0;
};

}  // namespace troupe
