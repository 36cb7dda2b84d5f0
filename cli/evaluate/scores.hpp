#pragma once

#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Returns whether the evaluation is one of squared errors, for which R2 is printed instead of the accuracy.
bool has_squares(const Evaluation& evaluation);

/// Returns a text such as "test accuracy 0.9312", or "test R2 0.8412" for squared errors. @param set name of the set,
/// such as "test"
std::string score_text(const char* set, const Evaluation& evaluation);

/// Prints loss, score and metrics of a set. `train`, at its end, and `evaluate` use this.
void print_evaluation(const char* set, const Evaluation& evaluation);

}  // namespace troupe::cli
