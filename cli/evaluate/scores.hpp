#pragma once

#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Returns whether R2 is the score to print instead of the accuracy.
bool has_squares(const Evaluation& evaluation);

/// Returns "test accuracy 0.9312", or for squared errors "test R2 0.8412".
std::string score_text(const char* set, const Evaluation& evaluation);

/// Prints the results for a set, as `train` does at its end and `evaluate` does.
void print_evaluation(const char* set, const Evaluation& evaluation);

}  // namespace troupe::cli
