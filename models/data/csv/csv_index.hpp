#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_rows.hpp"

namespace troupe {

/// The result of reading the files of a set once, for KeepRows::in_files.
struct CsvIndex {
  CsvRows rows;
  std::vector<std::vector<std::string>> categories;  ///< of each column, in order
};

/// Returns the key of an index: the state of the files and the options, as bytes. An index is valid only for an equal
/// key.
/// @param columns include the categories if they are given, for a test set
std::string csv_index_key(const std::vector<CsvRows::File>& files, const CsvArguments& asked,
                          const std::vector<CsvColumn>& columns);

/// Returns the index as bytes, including its key.
std::string to_bytes(const CsvRows& rows, const std::vector<CsvColumn>& columns, std::string_view key);
/// Parses an index. Returns nothing if the bytes are damaged, have another version or key, or do not match the files
/// and columns.
std::optional<CsvIndex> csv_index_from(std::string_view bytes, std::string_view key,
                                       const std::vector<CsvRows::File>& files, const std::vector<CsvColumn>& columns);

/// Reads the index that is stored next to the first file.
std::optional<CsvIndex> read_csv_index(const std::string& key, const std::vector<CsvRows::File>& files,
                                       const std::vector<CsvColumn>& columns);
void keep_csv_index(const std::string& key, const CsvRows& rows, const std::vector<CsvColumn>& columns);

}  // namespace troupe
