#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/csv/csv_row.hpp"

namespace troupe {

/// The rows of all files of a set, converted to numbers by CsvRow. If the rows stay in the files (KeepRows::in_files),
/// `features` and `targets` are empty, and `files` and `offsets` contain the place of each row.
struct CsvRows {
  std::int64_t count = 0;
  std::vector<float> features;
  std::vector<float> targets;
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> missing;  ///< for each column: the number of its missing fields
  std::vector<float> means;           ///< for each feature: the mean over all rows that have a number; 0 if no row has
                                      ///< one

  /// A file that contains rows of the set.
  struct File {
    std::string name;  ///< the path or the whole URL
    std::shared_ptr<const ByteSource> file;
    char separator = ',';
    std::int64_t end = 0;  ///< the number of rows in this file and in all files before it
  };
  std::vector<File> files;
  std::vector<std::uint64_t> offsets;  ///< for each row: its offset in its file, in bytes
};

/// Selects whether the features and targets of rows are kept in memory, or stay in the files and are read on demand.
enum class KeepRows : std::uint8_t { in_memory, in_files };

/// Read the rows of the training set or of the test set. The training set must be read first, because its texts become
/// the categories of `columns`, numbered in the order of their names. A text in the test set that is no category of the
/// column is an error, unless `asked.unseen_zero` is true.
/// @param asked the options of the data
/// @throws Error bad_file if a row is invalid; the message names the file and the line
CsvRows read_training_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                           std::vector<CsvColumn>& columns, KeepRows keep);
CsvRows read_test_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                       const std::vector<CsvColumn>& columns, KeepRows keep);

/// Reads rows for a network that has been trained before.
/// @param columns the columns that `columns_like` returned. A text of a feature that is no category of its column is an
/// error, unless `asked.unseen_zero` is true. Classes that the training data did not have are added to the categories
/// of the class column, after the known classes
CsvRows read_rows_like(const std::vector<std::string>& files, const CsvArguments& asked,
                       std::vector<CsvColumn>& columns, KeepRows keep);

}  // namespace troupe
