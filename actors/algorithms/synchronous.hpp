#pragma once

#include "actors/algorithms/backups.hpp"

namespace troupe {

/// Synchronous SGD: makes a new version of the state from the gradients of all shards at the version before. A step has
/// two rounds: compute, then reduce and apply. It has three rounds if workers need the length of the mean gradient
/// before they apply it, for clipping.
class SynchronousRunner : public AlgorithmRunner {
 public:
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;

 private:
  Backups backups_;
};

}  // namespace troupe
