#pragma once

#include "support/patience.hpp"
#include "troupe/trainer.hpp"

namespace troupe_test {

/// Registers the functions of these tests.
void register_train_functions();

/// Counts from a given value. "add" is a method of the class.
struct Counter {
  explicit Counter(const troupe::Json& config) : value(config.value("from", 0)) {}
  int value;
};

inline troupe::TrainerOptions trainer_options(troupe::Placement placement, int workers) {
  troupe::TrainerOptions options;
  options.num_workers = workers;
  options.placement = placement;
  if (kSanitized) options.timeouts.start = std::chrono::seconds(300);
  options.timeouts.collective = std::chrono::seconds(kSanitized ? 300 : 60);
  return options;
}

}  // namespace troupe_test
