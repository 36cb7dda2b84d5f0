#include "models/losses/kinds_of_data.hpp"

#include <string>

#include "runtime/invalid.hpp"

namespace troupe::losses {

void check_has_classes(const Loss& loss, const DataInfo& data) {
  if (data.num_classes > 0) return;
  throw_invalid("loss " + loss.name() + " learns classes, and the data has targets, " +
                std::to_string(data.num_targets) + " a sample");
}

void check_has_targets(const Loss& loss, const DataInfo& data) {
  if (data.num_targets > 0) return;
  throw_invalid("loss " + loss.name() + " learns targets, and the data has " + std::to_string(data.num_classes) +
                " classes");
}

}  // namespace troupe::losses
