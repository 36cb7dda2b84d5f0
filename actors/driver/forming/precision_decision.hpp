#pragma once

#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// The precision of a run. With bf16 in the options, the first replicas measure both precisions, and this class decides
/// for all of them. Later replicas follow the decision.
class PrecisionDecision {
 public:
  /// @param options checked options
  explicit PrecisionDecision(const Options& options);

  /// Whether replicas still have to measure.
  bool is_open() const { return open_; }
  /// The precision of the replicas. Replicas that measure choose bf16 only if it is faster.
  Precision wanted() const { return choice_.computed; }
  /// Adopts the decision of the checkpoint's run.
  void follow(Precision computed);
  /// Decides from the measurements of all replicas: the slowest worker counts, as in a step. Chooses f32 if a replica
  /// does not support bf16.
  void decide(const std::vector<ReplicaTraits>& replicas);

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
