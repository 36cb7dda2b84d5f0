#pragma once

#include <string>

#include "troupe/report.hpp"

namespace troupe::cli {

/// Formats a line for each class, and one for their means. With more than 100 classes, shows the 20 with the lowest F1.
std::string class_table(const Evaluation& evaluation);

/// Formats the confusion matrix: a row for each class and a column for each predicted class. With more than 20 classes,
/// lists the ten pairs that are confused most often.
std::string confusion_table(const Evaluation& evaluation);

/// Formats a line for each target, and one for all if there are several.
std::string target_table(const Evaluation& evaluation);

}  // namespace troupe::cli
