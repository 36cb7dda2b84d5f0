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

/// Categories of a column of text, numbered in the order in which they come.
class Categories {
 public:
  Categories() = default;
  explicit Categories(const std::vector<std::string>& names) {
    for (const std::string& name : names) add(name);
  }
  /// Its number, a new one for one that has not come yet.
  std::int32_t add(std::string_view text);
  /// -1 for one that is unknown.
  std::int32_t find(std::string_view text) const;
  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  /// Numbers them in the order of their names instead; returns each one's new number by its old one.
  std::vector<std::int32_t> sort();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

/// A column of the files: what it is called, what it is for, and what its fields are.
struct CsvColumn {
  using Role = InputColumn::Role;
  std::string name;
  Role role = Role::feature;
  bool is_text = false;
  Categories categories = {};      ///< of text
  std::size_t slot = 0;            ///< its place among the features, or among the targets
  std::optional<float> fill = {};  ///< see InputColumn::fill

  /// Floats of a sample that it becomes.
  std::size_t width() const { return is_text ? categories.size() : 1; }
};

/// The category of text fields that are missing.
inline constexpr const char* kNoCategory = "(missing)";

/// True for an empty field and what people write for one that is missing: NA, N/A, NaN, null, none, ?.
bool is_missing(std::string_view field);

/// What errors say of a field that is no number, though its column is of numbers.
std::string no_number(const CsvColumn& column, std::string_view field);

/// The columns as the first rows of a file have them. Those whose fields there are not all numbers are text.
/// @throws Error invalid_argument that lists the columns for one that is not there, bad_data for a target of text,
/// bad_file where all that keeps a column from being of numbers is how some are written.
std::vector<CsvColumn> columns_of(const std::string& file, const CsvArguments& asked);

/// The features among them, in the order of their slots.
std::vector<const CsvColumn*> features_of(const std::vector<CsvColumn>& columns);

/// Whether no field of a first row is a number, so that it may name columns.
bool looks_like_header(const std::vector<std::string>& first);
std::vector<std::string> fields_of(const CsvReader& reader);
/// Columns without a role, by the names of a first row, or else by their numbers from 1 on.
/// @throws Error bad_file for two of one name
std::vector<CsvColumn> named_columns(const CsvReader& reader, const std::vector<std::string>& first, bool header);
/// By its name or else by its number. @throws Error invalid_argument that lists the columns
CsvColumn& find_column(std::vector<CsvColumn>& columns, const std::string& name, const std::string& file);
/// Names of columns, for errors.
std::string list_of(const std::vector<CsvColumn>& columns);

/// Those of a file of the test set: all, or without targets and class where it has just so many fewer fields.
std::vector<CsvColumn> columns_of_test(const std::string& file, const std::vector<CsvColumn>& columns,
                                       const CsvArguments& asked);

/// Puts the reader before the first sample of a file. @throws Error bad_file for other columns than these.
void skip_header(CsvReader& reader, const std::vector<CsvColumn>& columns, const CsvArguments& asked);

}  // namespace troupe
