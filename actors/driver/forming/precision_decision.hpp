#pragma once

#include <string>
#include <vector>

#include "actors/messages/model_description.hpp"
#include "troupe/sgd.hpp"

namespace troupe {

/// What a run computes in. With bf16 its first replicas measure, and this decides for all of them; whoever comes later
/// follows.
class PrecisionDecision {
 public:
  /// @param options checked
  explicit PrecisionDecision(const Options& options);

  /// Whether replicas are still to measure.
  bool is_open() const { return open_; }
  /// What replicas are to compute in; of those that measure, where bf16 pays.
  Precision wanted() const { return choice_.computed; }
  /// As the checkpoint's run decided.
  void follow(Precision computed);
  /// By what all replicas have measured: a step takes as long as its slowest worker. f32 where one has no bf16.
  void decide(const std::vector<ReplicaTraits>& replicas);

  /// @param computed what the replicas say that they compute in
  PrecisionChoice choice(Precision computed) const;

 private:
  PrecisionChoice choice_;
  bool open_;
};

/// Says so in the log where bf16 was asked for and the replicas compute in f32, and why.
void note_precision(const PrecisionChoice& choice);

/// "f32", or, where it was measured, "bf16 (0.62 of f32's time)".
std::string precision_text(const PrecisionChoice& choice);

}  // namespace troupe
