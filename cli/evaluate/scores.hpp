#pragma once

#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Whether R2 says more of it than the accuracy.
bool has_squares(const Evaluation& evaluation);

/// "test accuracy 0.9312", or of squares "test R2 0.8412".
std::string score_text(const char* set, const Evaluation& evaluation);

/// Prints what an evaluation of a set found, as `train` ends and `evaluate` does.
void print_evaluation(const char* set, const Evaluation& evaluation);

}  // namespace troupe::cli
