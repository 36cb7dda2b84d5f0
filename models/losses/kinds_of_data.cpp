#include "models/losses/kinds_of_data.hpp"

#include <string>

#include "runtime/invalid.hpp"

namespace troupe::losses {

namespace {

void check_has_answers(const Loss& loss, const DataInfo& data) {
  if (data.num_classes == 0 && data.num_targets == 0)
    throw_invalid("loss " + loss.name() +
                  " needs classes or targets, but the data has neither: for a CSV file, name them with class=COLUMN or "
                  "target=COLUMN");
}

}  // namespace

void check_has_classes(const Loss& loss, const DataInfo& data) {
  if (data.num_classes > 0) return;
  check_has_answers(loss, data);
  throw_invalid("loss " + loss.name() + " needs classes, but the data has " + std::to_string(data.num_targets) +
                " targets per sample");
}

void check_has_targets(const Loss& loss, const DataInfo& data) {
  if (data.num_targets > 0) return;
  check_has_answers(loss, data);
  throw_invalid("loss " + loss.name() + " needs targets, but the data has " + std::to_string(data.num_classes) +
                " classes");
}

}  // namespace troupe::losses
