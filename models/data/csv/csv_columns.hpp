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

/// The categories of a column with text: its different texts. Categories are numbered from 0 in the order in which they
/// are added, until `sort` renumbers them.
class Categories {
 public:
  Categories() = default;
  explicit Categories(const std::vector<std::string>& names) {
    for (const std::string& name : names) add(name);
  }
  /// Returns the number of the category `text`. If there is no such category, adds it.
  std::int32_t add(std::string_view text);
  /// Returns the number of the category `text`, or -1 if there is no such category.
  std::int32_t find(std::string_view text) const;
  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  /// Gives the categories new numbers in the order of their names: in numeric order if all names are numbers, otherwise
  /// in alphabetical order. Returns the new number of each category, indexed by its old number.
  std::vector<std::int32_t> sort();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the name is required by the standard
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

/// A column of CSV files: its name, its role (feature, target, class or ignored) and the type of its fields (numbers or
/// text).
struct CsvColumn {
  using Role = InputColumn::Role;
  std::string name;
  Role role = Role::feature;
  bool is_text = false;
  Categories categories = {};      ///< the different texts of the column, if it contains text
  std::size_t slot = 0;            ///< number of the column among the columns with the same role, from 0
  std::optional<float> fill = {};  ///< the number that replaces missing fields; see InputColumn::fill

  /// Returns the number of floats that the column contributes to a sample.
  std::size_t width() const { return is_text ? categories.size() : 1; }
};

/// The category that replaces a missing field of a text column.
inline constexpr const char* kNoCategory = "(missing)";

/// Returns whether a field counts as missing: if it is empty, or one of NA, N/A, NaN, null, none and ?, in upper or
/// lower case.
bool is_missing(std::string_view field);

/// Returns the error message for `field`, which is not a valid number although `column` is a column of numbers.
std::string no_number(const CsvColumn& column, std::string_view field);

/// Returns the columns of a file. The arguments determine their roles, and the fields of the first 1,000 rows determine
/// their types. A column contains text if one of these fields is not a number; fields that are missing or meant as
/// numbers (is_meant_as_number) do not count.
/// @param asked the arguments
/// @throws Error invalid_argument if the arguments name a column that does not exist (the message lists the columns);
/// bad_data if a target contains text; bad_file if a column of numbers has a field that is meant as a number but is not
/// a valid number.
std::vector<CsvColumn> columns_of(const std::string& file, const CsvArguments& asked);

/// Returns those of `columns` that are features, in the order of CsvColumn::slot.
std::vector<const CsvColumn*> features_of(const std::vector<CsvColumn>& columns);

/// Returns whether the first row of a file is probably a header with the names of the columns: returns true if none of
/// its fields is a number.
bool looks_like_header(const std::vector<std::string>& first);
/// Returns the fields of the current row of the reader.
std::vector<std::string> fields_of(const CsvReader& reader);
/// Returns one column for each field of the first row, without role and type.
/// @param reader the reader of the file, for the error message
/// @param first the fields of the first row
/// @param header whether `first` contains the names of the columns. If not, the name of each column is its number,
/// counted from 1; the same is true for a column whose field in the header is empty
/// @throws Error bad_file if two columns have the same name
std::vector<CsvColumn> named_columns(const CsvReader& reader, const std::vector<std::string>& first, bool header);
/// Returns the column with the name `name`. If there is no such column and `name` is a number, returns the column with
/// this number, counted from 1.
/// @throws Error invalid_argument if there is no such column; the message lists the columns
CsvColumn& find_column(std::vector<CsvColumn>& columns, const std::string& name, const std::string& file);
/// Returns the names of the first 30 columns, separated by commas, for error messages.
std::string list_of(const std::vector<CsvColumn>& columns);

/// Returns those of `columns`, the columns of the training set, that a file of the test set contains. A file of the
/// test set may lack the targets and the class. If the first row has exactly as many fields as there are columns
/// without targets and class, returns these columns; otherwise returns all columns.
std::vector<CsvColumn> columns_of_test(const std::string& file, const std::vector<CsvColumn>& columns,
                                       const CsvArguments& asked);

/// Makes the reader skip the header of its file, if the file has a header.
/// @throws Error bad_file if the file has no rows, or if the header contains other names than those of `columns`.
void skip_header(CsvReader& reader, const std::vector<CsvColumn>& columns, const CsvArguments& asked);

}  // namespace troupe
