#pragma once

#include <string>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Returns a text table of the metrics of each class: a line for each class, and a line with the means over all
/// classes. If there are more than 100 classes, the table has lines only for the 20 classes with the lowest F1 score.
std::string class_table(const Evaluation& evaluation);

/// Returns the confusion matrix as a text table: a row for each true class, and a column for each predicted class. If
/// there are more than 20 classes, returns a list instead: the ten pairs of classes that are confused most often.
std::string confusion_table(const Evaluation& evaluation);

/// Returns a text table of the errors of each target: a line for each target and, if there are several targets, a line
/// for all targets together.
std::string target_table(const Evaluation& evaluation);

}  // namespace troupe::cli
