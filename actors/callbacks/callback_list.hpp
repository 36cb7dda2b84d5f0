#pragma once

#include <optional>

#include "troupe/callback.hpp"

namespace troupe {

/// The callbacks of a run, told one after the other. What one throws comes out, and those behind it have not heard.
class CallbackList {
 public:
  /// @throws Error invalid_argument for a null one
  explicit CallbackList(Callbacks callbacks);

  bool empty() const { return callbacks_.empty(); }
  void start(const RunStart& run);
  /// Ends an epoch where its metric "epoch" is larger than that of the last report with one.
  void report(const Report& report);
  /// The same where whoever reports knows when epochs end.
  void report(const Report& report, bool epoch_ends);
  void checkpoint(const CheckpointInfo& checkpoint);
  /// The run goes on after it.
  void failure_passed(const Error& error);
  /// What ends the run. All hear of it; what one throws is told in the log, since the run has its own error.
  void failure(const Error& error) noexcept;
  /// An epoch that was told of by its metric ends with a run that has not failed.
  void end(const RunEnd& end);
  /// The same where nobody can be thrown at: all hear of it, and what one throws is told in the log.
  void close(const RunEnd& end) noexcept;
  bool wants_to_stop() const;

 private:
  void end_epoch(const Report& last);

  Callbacks callbacks_;
  std::optional<Report> last_;  ///< with a metric "epoch"
};

}  // namespace troupe
