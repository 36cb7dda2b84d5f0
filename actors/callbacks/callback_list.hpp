#pragma once

#include <optional>

#include "troupe/callback.hpp"

namespace troupe {

/// Calls the callbacks of a run, one after the other. If a callback throws, the exception propagates to the caller, and
/// the callbacks after it are not called. The noexcept functions `failure` and `close` instead call all callbacks, and
/// log the exceptions that callbacks throw.
class CallbackList {
 public:
  /// @throws Error invalid_argument if a callback is null
  explicit CallbackList(Callbacks callbacks);

  bool empty() const { return callbacks_.empty(); }
  void start(const RunStart& run);
  /// Calls on_report with `report`. An epoch ends when the metric "epoch" increases: if it is larger in `report` than
  /// in the previous report with this metric, first calls on_epoch with that previous report.
  void report(const Report& report);
  /// Calls on_report with `report`. If `epoch_ends` is true, calls on_epoch with `report` afterwards.
  void report(const Report& report, bool epoch_ends);
  void checkpoint(const CheckpointInfo& checkpoint);
  /// Calls on_failure with `error`, after which the run continues (`goes_on` is true).
  void failure_passed(const Error& error);
  /// Calls on_failure with `error`, which ends the run (`goes_on` is false). If a callback throws, logs the callback's
  /// exception, because the run itself throws `error`.
  void failure(const Error& error) noexcept;
  /// Calls on_end with `end`. If the run has not failed and a report had the metric "epoch", first calls on_epoch with
  /// the last report that had this metric.
  void end(const RunEnd& end);
  /// Like `end`, but logs exceptions of callbacks, for callers that must not throw.
  void close(const RunEnd& end) noexcept;
  /// Returns true if at least one callback requests that the run stops.
  bool wants_to_stop() const;

 private:
  void end_epoch(const Report& last);

  Callbacks callbacks_;
  std::optional<Report> last_;  ///< the last report with a metric "epoch"
};

}  // namespace troupe
