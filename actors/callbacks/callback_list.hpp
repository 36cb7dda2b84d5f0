#pragma once

#include <optional>

#include "troupe/callback.hpp"

namespace troupe {

/// Calls the callbacks of a run, one after the other. If a callback throws, the exception propagates to the caller, and
/// the callbacks after it are not called. Functions that are noexcept call all callbacks and log their exceptions.
class CallbackList {
 public:
  /// @throws Error invalid_argument if a callback is null
  explicit CallbackList(Callbacks callbacks);

  bool empty() const { return callbacks_.empty(); }
  void start(const RunStart& run);
  /// Calls on_report with `report`. If the metric "epoch" is larger than in the previous report with this metric, first
  /// calls on_epoch with that previous report.
  void report(const Report& report);
  /// Calls on_report with `report`. If `epoch_ends` is true, then calls on_epoch with the same report.
  void report(const Report& report, bool epoch_ends);
  void checkpoint(const CheckpointInfo& checkpoint);
  /// Calls on_failure for an error after which the run continues.
  void failure_passed(const Error& error);
  /// Calls on_failure for the error that ends the run. Logs exceptions of callbacks, because the run throws its own
  /// error.
  void failure(const Error& error) noexcept;
  /// Calls on_end. If the run has not failed and a report had the metric "epoch", first calls on_epoch with the last
  /// such report.
  void end(const RunEnd& end);
  /// Like `end`, for callers that must not throw.
  void close(const RunEnd& end) noexcept;
  /// Returns true if a callback requests that the run stops.
  bool wants_to_stop() const;

 private:
  void end_epoch(const Report& last);

  Callbacks callbacks_;
  std::optional<Report> last_;  ///< the last report with a metric "epoch"
};

}  // namespace troupe
