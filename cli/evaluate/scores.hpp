#pragma once

#include <string>

#include "troupe/sgd.hpp"

namespace troupe::cli {

/// Returns whether R2 must be printed for an evaluation instead of the accuracy: whether the loss of the evaluation is
/// the squared error.
bool has_squares(const Evaluation& evaluation);

/// Returns the score of an evaluation as a text such as "test accuracy 0.9312", or "test R2 0.8412" if the loss is the
/// squared error.
/// @param set the name of the evaluated set, such as "test"
std::string score_text(const char* set, const Evaluation& evaluation);

/// Prints the loss, the score and the metrics of the evaluation of a set. The commands `evaluate` and, at its end,
/// `train` call this function.
/// @param set the name of the evaluated set, such as "test"
void print_evaluation(const char* set, const Evaluation& evaluation);

}  // namespace troupe::cli
