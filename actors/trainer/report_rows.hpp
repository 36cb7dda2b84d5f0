#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "troupe/trainer.hpp"

namespace troupe {

/// Combines the reports of all ranks into one. Plain book-keeping.
class ReportRows {
 public:
  /// @throws Error invalid_argument
  ReportRows(ReportOptions options, int ranks);

  /// @param bytes size of the metrics as text
  /// @throws Error invalid_argument if more than 256 MiB of reports wait for ranks that have made fewer reports
  void add(int rank, Json metrics, std::size_t bytes);
  /// Records that a rank sends no more reports.
  void end(int rank);
  /// Returns the metrics of the next report, once all ranks that still report have made it; nothing before that.
  std::optional<Json> next();
  /// Returns the number of reports of a rank.
  std::int64_t reported(int rank) const { return reported_[static_cast<std::size_t>(rank)]; }
  /// Returns the number of reports that each rank had made when the last combined report was made.
  std::int64_t iteration() const { return iteration_; }

 private:
  struct Row {
    std::vector<Json> metrics;  ///< the n-th report of each rank; null for ranks that did not make it
    std::size_t bytes = 0;
  };

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
  std::size_t waiting_ = 0;   ///< bytes of the incomplete rows
  std::int64_t iteration_ = 0;
};

}  // namespace troupe
