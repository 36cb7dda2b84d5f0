#pragma once

#include "actors/algorithms/backups.hpp"

namespace troupe {

/// Synchronous SGD: the gradients of all shards at one version make the next version. A step has two rounds: compute,
/// then reduce and apply. It has three rounds if workers need the length of the mean gradient before they apply it.
class SynchronousRunner : public AlgorithmRunner {
 public:
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;

 private:
  Backups backups_;
};

}  // namespace troupe
