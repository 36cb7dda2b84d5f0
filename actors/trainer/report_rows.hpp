#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "troupe/trainer.hpp"

namespace troupe {

/// Makes one report of those of all ranks. Plain book-keeping.
class ReportRows {
 public:
  /// @throws Error invalid_argument
  ReportRows(ReportOptions options, int ranks);

  /// @param bytes of their text
  /// @throws Error invalid_argument where more than 256 MiB of reports waits for ranks that have not made as many
  void add(int rank, Json metrics, std::size_t bytes);
  /// A rank reports no more.
  void end(int rank);
  /// The metrics of the next report that all ranks have made which still report; none before that.
  std::optional<Json> next();
  /// How often a rank has reported.
  std::int64_t reported(int rank) const { return reported_[static_cast<std::size_t>(rank)]; }
  /// How often each rank had reported when the last one was made.
  std::int64_t iteration() const { return iteration_; }

 private:
  struct Row {
    std::vector<Json> metrics;  ///< what ranks reported as their n-th; null of who did not
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
  std::deque<Row> rows_;      ///< that no report has been made of
  std::size_t complete_ = 0;  ///< of these, the first so many
  std::size_t waiting_ = 0;   ///< bytes of the others
  std::int64_t iteration_ = 0;
};

}  // namespace troupe
