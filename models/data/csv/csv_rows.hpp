#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/csv/csv_row.hpp"

namespace troupe {

/// What files of a set hold, row after row, as CsvRow gives it; of what stays in the files where it lies.
struct CsvRows {
  std::int64_t count = 0;
  std::vector<float> features;
  std::vector<float> targets;
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> missing;  ///< fields, by column
  std::vector<float> means;           ///< of each feature over the rows that have it; 0 where none has

  /// A file whose rows stay in it.
  struct File {
    std::shared_ptr<const InputFile> file;
    char separator = ',';
    std::int64_t end = 0;  ///< number of the first row behind its own
  };
  std::vector<File> files;
  std::vector<std::uint64_t> offsets;  ///< of rows in them
};

/// What becomes of features and targets.
enum class KeepRows : std::uint8_t { in_memory, in_files };

/// Reads the rows of one set. The training set's come first: its texts are the categories, numbered in order of their
/// names; in a test set there may be no others.
/// @throws Error bad_file that names file and line
CsvRows read_training_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                           std::vector<CsvColumn>& columns, KeepRows keep);
CsvRows read_test_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                       const std::vector<CsvColumn>& columns, KeepRows keep);

/// The same of columns_like(): a category that is none of the training's is an error, but classes that are none of it
/// are added behind the others.
CsvRows read_rows_like(const std::vector<std::string>& files, const CsvArguments& asked,
                       std::vector<CsvColumn>& columns, KeepRows keep);

}  // namespace troupe
