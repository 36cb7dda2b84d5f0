#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/data/csv/csv_rows.hpp"

namespace troupe {

/// What going through the files of a set has found, of KeepRows::in_files.
struct CsvIndex {
  CsvRows rows;
  std::vector<std::vector<std::string>> categories;  ///< of each column, in order
};

/// What an index is good for: these files, as they are now, and what was asked of them. Bytes, to be compared.
/// @param columns with categories where they are given, of a test set
std::string csv_index_key(const std::vector<CsvRows::File>& files, const CsvArguments& asked,
                          const std::vector<CsvColumn>& columns);

/// Bytes of what was found, and of what it is good for.
std::string to_bytes(const CsvRows& rows, const std::vector<CsvColumn>& columns, std::string_view key);
/// Nothing for bytes that are damaged, of another version or another key, or do not fit the files and columns.
std::optional<CsvIndex> csv_index_from(std::string_view bytes, std::string_view key,
                                       const std::vector<CsvRows::File>& files, const std::vector<CsvColumn>& columns);

/// What was kept beside the first file.
std::optional<CsvIndex> read_csv_index(const std::string& key, const std::vector<CsvRows::File>& files,
                                       const std::vector<CsvColumn>& columns);
void keep_csv_index(const std::string& key, const CsvRows& rows, const std::vector<CsvColumn>& columns);

}  // namespace troupe
