#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/csv/csv_row.hpp"

namespace troupe {

/// The rows of all files of a set, as CsvRow converts them. If the rows stay in the files, `features` and `targets` are
/// empty, and `files` and `offsets` contain the place of each row.
struct CsvRows {
  std::int64_t count = 0;
  std::vector<float> features;
  std::vector<float> targets;
  std::vector<std::int32_t> labels;
  std::vector<std::int64_t> missing;  ///< number of missing fields, by column
  std::vector<float> means;           ///< mean of each feature over the rows that have a value; 0 if no row has one

  /// A file that holds rows of the set.
  struct File {
    std::shared_ptr<const InputFile> file;
    char separator = ',';
    std::int64_t end = 0;  ///< number of rows in this file and the files before it
  };
  std::vector<File> files;
  std::vector<std::uint64_t> offsets;  ///< of each row: its offset in its file in bytes
};

/// Whether features and targets are kept in memory, or stay in the files and are read on demand.
enum class KeepRows : std::uint8_t { in_memory, in_files };

/// Read the rows of one set. The training set must be read first, because its texts become the categories of the
/// columns, numbered in the order of their names. Other categories in a test set are errors, unless `asked.unseen_zero`
/// is true.
/// @throws Error bad_file that names the file and the line
CsvRows read_training_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                           std::vector<CsvColumn>& columns, KeepRows keep);
CsvRows read_test_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                       const std::vector<CsvColumn>& columns, KeepRows keep);

/// Reads rows for a trained network, with columns from `columns_like`. Unknown categories of features are errors,
/// unless `asked.unseen_zero` is true. Unknown classes are added to `columns` after the known ones.
CsvRows read_rows_like(const std::vector<std::string>& files, const CsvArguments& asked,
                       std::vector<CsvColumn>& columns, KeepRows keep);

}  // namespace troupe
