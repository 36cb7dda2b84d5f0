#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/data/csv/csv_columns.hpp"

namespace troupe {

/// What files hold, row after row: of a column of numbers the number, or NaN where it is missing; of one of text the
/// number of its category.
struct CsvRows {
  std::vector<float> features;
  std::vector<float> targets;
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> missing;  ///< fields of each column that hold nothing, also those of rows left out
};

/// Reads the rows of one set. The training set's come first: its texts are the categories, numbered in order of their
/// names; in a test set there may be no others.
/// @throws Error bad_file that names file and line
CsvRows read_training_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                           std::vector<CsvColumn>& columns);
CsvRows read_test_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                       const std::vector<CsvColumn>& columns);

}  // namespace troupe
