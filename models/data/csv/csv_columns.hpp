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

/// The categories of a text column, numbered in order of appearance.
class Categories {
 public:
  Categories() = default;
  explicit Categories(const std::vector<std::string>& names) {
    for (const std::string& name : names) add(name);
  }
  /// Returns the number of a category; adds the category if it is new.
  std::int32_t add(std::string_view text);
  /// Returns -1 for an unknown category.
  std::int32_t find(std::string_view text) const;
  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  /// Renumbers the categories in the order of their names. Returns the new number of each old number.
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
  std::size_t slot = 0;            ///< index among the features or among the targets
  std::optional<float> fill = {};  ///< see InputColumn::fill

  /// The number of floats per sample.
  std::size_t width() const { return is_text ? categories.size() : 1; }
};

/// The category of missing text fields.
inline constexpr const char* kNoCategory = "(missing)";

/// True for an empty field and for common names of missing values: NA, N/A, NaN, null, none, ?.
bool is_missing(std::string_view field);

/// Returns the error text for a field that is not a number in a column of numbers.
std::string no_number(const CsvColumn& column, std::string_view field);

/// Detects the columns from the first rows of a file. A column is text if not all its fields there are numbers.
/// @throws Error invalid_argument that lists the columns if a named column does not exist; bad_data for a target with
/// text; bad_file for a column that would be numeric except for the format of some numbers.
std::vector<CsvColumn> columns_of(const std::string& file, const CsvArguments& asked);

/// Returns the features, in the order of their slots.
std::vector<const CsvColumn*> features_of(const std::vector<CsvColumn>& columns);

/// True if no field of a first row is a number, so that the row can contain column names.
bool looks_like_header(const std::vector<std::string>& first);
std::vector<std::string> fields_of(const CsvReader& reader);
/// Returns columns without a role. Their names come from a first row, or else are their numbers from 1.
/// @throws Error bad_file if two columns have the same name
std::vector<CsvColumn> named_columns(const CsvReader& reader, const std::vector<std::string>& first, bool header);
/// Finds a column by its name, or else by its number. @throws Error invalid_argument that lists the columns
CsvColumn& find_column(std::vector<CsvColumn>& columns, const std::string& name, const std::string& file);
/// Returns the names of columns, for errors.
std::string list_of(const std::vector<CsvColumn>& columns);

/// Returns the columns of a file of the test set: all of them, or all without targets and class if the file has exactly
/// that many fewer fields.
std::vector<CsvColumn> columns_of_test(const std::string& file, const std::vector<CsvColumn>& columns,
                                       const CsvArguments& asked);

/// Moves the reader to the first sample of a file. @throws Error bad_file if the columns differ.
void skip_header(CsvReader& reader, const std::vector<CsvColumn>& columns, const CsvArguments& asked);

}  // namespace troupe
