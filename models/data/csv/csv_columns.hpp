#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/data/csv/csv_arguments.hpp"
#include "models/files/csv.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// The categories of a text column. They are numbered in order of appearance, until `sort` renumbers them.
class Categories {
 public:
  Categories() = default;
  explicit Categories(const std::vector<std::string>& names) {
    for (const std::string& name : names) add(name);
  }
  /// Returns the number of a category; adds the category if it is new.
  std::int32_t add(std::string_view text);
  /// Returns the number of a category; -1 if there is no such category.
  std::int32_t find(std::string_view text) const;
  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  /// Renumbers the categories in the order of their names. If all names are numbers, the order is numeric. Returns the
  /// new number of each category, indexed by its old number.
  std::vector<std::int32_t> sort();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name is required by the standard
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

/// A column of the files: its name, its role and the type of its fields.
struct CsvColumn {
  using Role = InputColumn::Role;
  std::string name;
  Role role = Role::feature;
  bool is_text = false;
  Categories categories = {};      ///< for text
  std::size_t slot = 0;            ///< index among the columns with the same role
  std::optional<float> fill = {};  ///< see InputColumn::fill

  /// Returns the number of floats that the column contributes to a sample.
  std::size_t width() const { return is_text ? categories.size() : 1; }
};

/// The category that replaces a missing field of a text column.
inline constexpr const char* kNoCategory = "(missing)";

/// Returns whether a field is missing: it is empty or one of NA, N/A, NaN, null, none and ?, in upper or lower case.
bool is_missing(std::string_view field);

/// Returns the error message for a field that is not a number, although its column contains numbers.
std::string no_number(const CsvColumn& column, std::string_view field);

/// Returns the columns of a file, with roles from the arguments and types from the first 1,000 rows. A column is text
/// if one of these fields is not a number, unless the field is missing or meant as a number (is_meant_as_number).
/// @throws Error invalid_argument that lists the columns if a named column does not exist; bad_data for a target with
/// text; bad_file if a column of numbers has fields that are meant as numbers but are not valid.
std::vector<CsvColumn> columns_of(const std::string& file, const CsvArguments& asked);

/// Returns the features, in the order of their slots.
std::vector<const CsvColumn*> features_of(const std::vector<CsvColumn>& columns);

/// Returns whether the first row of a file can contain the names of the columns: none of its fields is a number.
bool looks_like_header(const std::vector<std::string>& first);
/// Returns the fields of the current row.
std::vector<std::string> fields_of(const CsvReader& reader);
/// Returns one column for each field of the first row, without role and type.
/// @param reader reads the file, for the error message
/// @param first the fields of the first row
/// @param header if true, `first` contains the names of the columns. Otherwise, and for empty fields, the name of a
/// column is its number, from 1
/// @throws Error bad_file if two columns have the same name
std::vector<CsvColumn> named_columns(const CsvReader& reader, const std::vector<std::string>& first, bool header);
/// Returns the column with this name or, if there is none, with this number.
/// @throws Error invalid_argument that lists the columns
CsvColumn& find_column(std::vector<CsvColumn>& columns, const std::string& name, const std::string& file);
/// Returns the names of the first 30 columns, separated by commas, for error messages.
std::string list_of(const std::vector<CsvColumn>& columns);

/// Returns the columns of a file of the test set. Such a file may lack the targets and the class. If it has exactly as
/// many fields as there are other columns, returns only the other columns. Otherwise returns all columns.
std::vector<CsvColumn> columns_of_test(const std::string& file, const std::vector<CsvColumn>& columns,
                                       const CsvArguments& asked);

/// Skips the header of a file, if the file has a header.
/// @throws Error bad_file if the file has no rows, or if the header contains other names than those of `columns`.
void skip_header(CsvReader& reader, const std::vector<CsvColumn>& columns, const CsvArguments& asked);

}  // namespace troupe
