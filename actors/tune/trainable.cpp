#include "runtime/invalid.hpp"
#include "troupe/tune.hpp"

namespace troupe {

tune::Trainable Trainer::to_trainable(const std::string& function, const RunOptions& options) const {
  if (options.dataset.has_values())
    throw Error(ErrorCode::unsupported,
                "trials run in other processes and cannot receive data by value: register the data");
  if (!options.callbacks.empty())
    throw Error(ErrorCode::unsupported,
                "trials run in other processes and cannot receive callbacks: use tune::Options::on_change instead");
  if (!options.checkpoints.folder.empty() || options.checkpoints.resume)
    throw_invalid("trials have their own checkpoint folders: do not set checkpoints.folder or checkpoints.resume");
  tune::Trainable trainable;
  trainable.function = function;
  trainable.workers = workers_.options();
  trainable.dataset = options.dataset;
  trainable.reports = options.reports;
  trainable.keep_checkpoints = options.checkpoints.keep;
  return trainable;
}

}  // namespace troupe
