#include "runtime/invalid.hpp"
#include "troupe/tune.hpp"

namespace troupe {

tune::Trainable Trainer::to_trainable(const std::string& function, const RunOptions& options) const {
  if (options.dataset.has_values())
    throw Error(ErrorCode::unsupported, "trials are other processes, and cannot be handed data by value: register it");
  if (!options.callbacks.empty())
    throw Error(
        ErrorCode::unsupported,
        "trials are other processes, and cannot be handed callbacks: tune::Options::on_change tells of reports");
  if (!options.checkpoints.folder.empty() || options.checkpoints.resume)
    throw_invalid("trials have folders of their own for checkpoints");
  tune::Trainable trainable;
  trainable.function = function;
  trainable.workers = workers_.options();
  trainable.dataset = options.dataset;
  trainable.reports = options.reports;
  trainable.keep_checkpoints = options.checkpoints.keep;
  return trainable;
}

}  // namespace troupe
