#pragma once

#include "actors/algorithms/backups.hpp"

namespace troupe {

/// Synchronous SGD: all shards' gradients of one version make the next. Two rounds: compute, then reduce
/// and apply; three where workers have to know the length of the mean gradient before they apply it.
class SynchronousRunner : public AlgorithmRunner {
 public:
  StepReport step(const StepContext& context, const Deadline& deadline, bool rehearse) override;

 private:
  Backups backups_;
};

}  // namespace troupe
