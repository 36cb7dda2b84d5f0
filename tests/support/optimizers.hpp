#pragma once

#include "models/optimizers/settings.hpp"

namespace troupe {

/// Gives access to the settings that several kinds of optimizers have in common: `edit(options)->momentum = 0.9;`. The
/// destructor, at the end of the statement, writes the changed settings to Options::optimizer.
class OptimizerEdit {
 public:
  explicit OptimizerEdit(Options& options) : options_(options), settings_(settings_of(options)) {}
  OptimizerEdit(const OptimizerEdit&) = delete;
  OptimizerEdit& operator=(const OptimizerEdit&) = delete;
  /// @throws Error as optimizer_of
  ~OptimizerEdit() noexcept(false) { options_.optimizer = optimizer_of(settings_); }

  OptimizerSettings* operator->() { return &settings_; }

 private:
  Options& options_;
  OptimizerSettings settings_;
};

inline void set_optimizer(Options& options, const OptimizerSettings& settings) {
  options.optimizer = optimizer_of(settings);
  options.gradients.clip_norm = settings.clip_norm;
}

inline OptimizerEdit edit(Options& options) { return OptimizerEdit(options); }

}  // namespace troupe
