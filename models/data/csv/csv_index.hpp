#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_rows.hpp"

namespace troupe {

/// The content of the index of a set of CSV files whose rows stay in the files (KeepRows::in_files). With the index,
/// later runs need not read the files to find the offsets of their rows and the categories of their columns; see
/// kept_index.hpp.
struct CsvIndex {
  CsvRows rows;
  std::vector<std::vector<std::string>> categories;  ///< for each column: its categories, in the order of their numbers
};

/// Returns the key of the index of a set: bytes that depend on the names, sizes and last changes of the files, on the
/// options and on the columns. A stored index may be used only if its key is equal to the key that this function
/// returns now.
/// @param asked the options of the data
/// @param columns the columns of the files. For a test set, they contain the categories of the training set
std::string csv_index_key(const std::vector<CsvRows::File>& files, const CsvArguments& asked,
                          const std::vector<CsvColumn>& columns);

/// Returns the index of a set as bytes, including its key.
/// @param columns the columns of the files, with their categories
std::string to_bytes(const CsvRows& rows, const std::vector<CsvColumn>& columns, std::string_view key);
/// Returns the index that `bytes` contains; the reverse of `to_bytes`. Returns nothing if the bytes are damaged, have
/// another version or key, or do not match `files` and `columns`.
std::optional<CsvIndex> csv_index_from(std::string_view bytes, std::string_view key,
                                       const std::vector<CsvRows::File>& files, const std::vector<CsvColumn>& columns);

/// Reads the index that is stored next to the first file of the set, and returns it. Returns nothing if there is no
/// index, or `csv_index_from` rejects it.
std::optional<CsvIndex> read_csv_index(const std::string& key, const std::vector<CsvRows::File>& files,
                                       const std::vector<CsvColumn>& columns);
/// Stores the index of a set next to its first file. See keep_index for what happens if writing fails.
void keep_csv_index(const std::string& key, const CsvRows& rows, const std::vector<CsvColumn>& columns);

}  // namespace troupe
