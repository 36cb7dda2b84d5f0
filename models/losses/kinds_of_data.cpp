#include "models/losses/kinds_of_data.hpp"

#include <string>

#include "runtime/invalid.hpp"

namespace troupe::losses {

namespace {

void check_has_answers(const Loss& loss, const DataInfo& data) {
  if (data.num_classes == 0 && data.num_targets == 0)
    throw_invalid("loss " + loss.name() +
                  " measures against classes or targets, and the data has neither: of a CSV, class=COLUMN or "
                  "target=COLUMN names them");
}

}  // namespace

void check_has_classes(const Loss& loss, const DataInfo& data) {
  if (data.num_classes > 0) return;
  check_has_answers(loss, data);
  throw_invalid("loss " + loss.name() + " learns classes, and the data has targets, " +
                std::to_string(data.num_targets) + " a sample");
}

void check_has_targets(const Loss& loss, const DataInfo& data) {
  if (data.num_targets > 0) return;
  check_has_answers(loss, data);
  throw_invalid("loss " + loss.name() + " learns targets, and the data has " + std::to_string(data.num_classes) +
                " classes");
}

}  // namespace troupe::losses
