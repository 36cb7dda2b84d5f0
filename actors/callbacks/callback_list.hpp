#pragma once

#include <optional>

#include "troupe/callback.hpp"

namespace troupe {

/// The callbacks of a run, called one after the other. If a callback throws, the exception propagates to the caller,
/// and later callbacks are not called.
class CallbackList {
 public:
  /// @throws Error invalid_argument if a callback is null
  explicit CallbackList(Callbacks callbacks);

  bool empty() const { return callbacks_.empty(); }
  void start(const RunStart& run);
  /// Passes a report on. First ends an epoch if the metric "epoch" is larger than in the last report with that metric.
  void report(const Report& report);
  /// Passes a report on, and then ends an epoch if `epoch_ends`.
  void report(const Report& report, bool epoch_ends);
  void checkpoint(const CheckpointInfo& checkpoint);
  /// Reports a failure after which the run continues.
  void failure_passed(const Error& error);
  /// Reports the failure that ends the run. Calls all callbacks; logs their exceptions, because the run throws its own
  /// error.
  void failure(const Error& error) noexcept;
  /// Ends the run. If the run has not failed, first ends an epoch that is known from its metric.
  void end(const RunEnd& end);
  /// Like `end`, for callers that must not throw. Calls all callbacks and logs their exceptions.
  void close(const RunEnd& end) noexcept;
  bool wants_to_stop() const;

 private:
  void end_epoch(const Report& last);

  Callbacks callbacks_;
  std::optional<Report> last_;  ///< the last report with a metric "epoch"
};

}  // namespace troupe
