#pragma once

#include <string>

#include "troupe/report.hpp"

namespace troupe::cli {

/// A line for each class and one for their means. Of more than 100 classes the 20 whose F1 is the lowest.
std::string class_table(const Evaluation& evaluation);

/// The confusion matrix, a row for each class and a column for what it was taken for. Of more than 20 classes the ten
/// pairs that are confused most.
std::string confusion_table(const Evaluation& evaluation);

/// A line for each target, and, where there are several, one for all.
std::string target_table(const Evaluation& evaluation);

}  // namespace troupe::cli
