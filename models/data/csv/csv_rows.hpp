#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/data/csv/csv_row.hpp"

namespace troupe {

/// The rows of the files of a set as CsvRow returns them; for rows that stay in the files, their offsets.
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
    std::int64_t end = 0;  ///< number of the first row behind the file's rows
  };
  std::vector<File> files;
  std::vector<std::uint64_t> offsets;  ///< offsets of the rows in the files
};

/// Where features and targets are kept.
enum class KeepRows : std::uint8_t { in_memory, in_files };

/// Read the rows of one set. The training set's rows must be read first: its texts are the categories, numbered in the
/// order of their names. A test set must not contain other categories.
/// @throws Error bad_file that names the file and the line
CsvRows read_training_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                           std::vector<CsvColumn>& columns, KeepRows keep);
CsvRows read_test_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                       const std::vector<CsvColumn>& columns, KeepRows keep);

/// Like read_test_rows, for columns of columns_like(). An unknown category is an error, but unknown classes are added
/// behind the known ones.
CsvRows read_rows_like(const std::vector<std::string>& files, const CsvArguments& asked,
                       std::vector<CsvColumn>& columns, KeepRows keep);

}  // namespace troupe
