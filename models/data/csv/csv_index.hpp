#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_rows.hpp"

namespace troupe {

/// The content of the index of a set whose rows stay in their files (KeepRows::in_files). With the index, later runs
/// need not read all rows to find their offsets and categories; see kept_index.hpp.
struct CsvIndex {
  CsvRows rows;
  std::vector<std::vector<std::string>> categories;  ///< of each column, by number
};

/// Returns the key of an index: bytes that depend on the files, their last changes and the options. An index may be
/// used only if its key is equal to the present key.
/// @param columns for a test set, with the categories of the training set
std::string csv_index_key(const std::vector<CsvRows::File>& files, const CsvArguments& asked,
                          const std::vector<CsvColumn>& columns);

/// Returns the index as bytes, including its key.
/// @param columns with their categories
std::string to_bytes(const CsvRows& rows, const std::vector<CsvColumn>& columns, std::string_view key);
/// Returns the index that the bytes contain. Returns nothing if the bytes are damaged, have another version or key, or
/// do not match the files and columns.
std::optional<CsvIndex> csv_index_from(std::string_view bytes, std::string_view key,
                                       const std::vector<CsvRows::File>& files, const std::vector<CsvColumn>& columns);

/// Returns the index that is stored next to the first file. Returns nothing if there is none, or `csv_index_from`
/// returns nothing.
std::optional<CsvIndex> read_csv_index(const std::string& key, const std::vector<CsvRows::File>& files,
                                       const std::vector<CsvColumn>& columns);
/// Stores the index next to the first file; see keep_index.
void keep_csv_index(const std::string& key, const CsvRows& rows, const std::vector<CsvColumn>& columns);

}  // namespace troupe
