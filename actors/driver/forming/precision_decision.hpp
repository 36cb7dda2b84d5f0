#pragma once

#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Decides whether a run computes in bf16 or f32. If bf16 is in the options, the first replicas measure the time of
/// both precisions. From these times, this class decides for all replicas. Replicas that are built later use the
/// decided precision.
class PrecisionDecision {
 public:
  /// @param options the run's options, already checked
  explicit PrecisionDecision(const Options& options);

  /// Returns whether the decision is still open, so that replicas must measure.
  bool is_open() const { return open_; }
  /// Returns the precision with which replicas are built. A replica that measures both precisions uses bf16 only if it
  /// is faster there.
  Precision wanted() const { return choice_.computed; }
  /// Adopts `computed`, the decision of the run that wrote the checkpoint from which this run resumes.
  void follow(Precision computed);
  /// Decides from the measurements of all replicas. The times of the slowest replica count, because each step waits for
  /// the slowest replica. Decides on f32 if any replica does not support bf16.
  void decide(const std::vector<ReplicaTraits>& replicas);

  /// Returns the decision and the measurements, for reports.
  /// @param computed the precision that the replicas report
  PrecisionChoice choice(Precision computed) const;

 private:
  PrecisionChoice choice_;
  bool open_;
};

/// If bf16 is in the options but the replicas compute in f32, logs the reason.
void note_precision(const PrecisionChoice& choice);

/// Returns the name of the precision. If both precisions were measured, also returns the ratio of their times, for
/// example "bf16 (0.62 of f32's time)".
std::string precision_text(const PrecisionChoice& choice);

}  // namespace troupe
