#pragma once

#include "actors/algorithms/backups.hpp"

namespace troupe {

/// Trains with synchronous SGD: each step makes a new version of the state from the gradients of all shards at the
/// previous version. A step has two rounds: compute, and then reduce and apply. If gradients are clipped, a step has
/// three rounds: compute, reduce, apply. For clipping, workers need the length of the whole mean gradient before they
/// apply it.
class SynchronousRunner : public AlgorithmRunner {
 public:
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;

 private:
  Backups backups_;
};

}  // namespace troupe
