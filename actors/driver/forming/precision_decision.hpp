#pragma once

#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// Decides on the precision of a run. If the options have bf16, the first replicas measure both precisions, and this
/// class decides for all replicas. Later replicas follow the decision.
class PrecisionDecision {
 public:
  /// @param options checked options
  explicit PrecisionDecision(const Options& options);

  /// Returns whether replicas still have to measure.
  bool is_open() const { return open_; }
  /// Returns the precision with which replicas are built. A replica that measures uses bf16 only if bf16 is faster.
  Precision wanted() const { return choice_.computed; }
  /// Adopts the decision of the checkpoint's run.
  void follow(Precision computed);
  /// Decides from the measurements of all replicas. The slowest replica counts, because a step waits for it. Chooses
  /// f32 if a replica does not support bf16.
  void decide(const std::vector<ReplicaTraits>& replicas);

  /// Returns the decision and the measurements, for reports.
  /// @param computed the precision that the replicas report
  PrecisionChoice choice(Precision computed) const;

 private:
  PrecisionChoice choice_;
  bool open_;
};

/// Logs the reason if bf16 is in the options but the replicas compute in f32.
void note_precision(const PrecisionChoice& choice);

/// Returns "f32" or, if both were measured, for example "bf16 (0.62 of f32's time)".
std::string precision_text(const PrecisionChoice& choice);

}  // namespace troupe
