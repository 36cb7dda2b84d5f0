#pragma once

#include <string>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Returns a table with a line for each class, and one for the means over all classes. If there are more than 100
/// classes, the table has only the 20 classes with the lowest F1 score.
std::string class_table(const Evaluation& evaluation);

/// Returns the confusion matrix as a table: a row for each true class and a column for each predicted class. If there
/// are more than 20 classes, returns a list of the ten pairs of classes that are confused most often instead.
std::string confusion_table(const Evaluation& evaluation);

/// Returns a table with a line for each target, and, if there are several targets, one for all together.
std::string target_table(const Evaluation& evaluation);

}  // namespace troupe::cli
