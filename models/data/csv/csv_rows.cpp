#include "models/data/csv/csv_rows.hpp"

#include <limits>

#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
/// Each category of a feature is a float of every sample.
constexpr std::size_t kMostCategories = 1000;
constexpr std::size_t kMostClasses = 100'000;
constexpr const char* kNoCategory = "(missing)";

using Role = CsvColumn::Role;

/// Adds the rows of files to others.
class RowReader {
 public:
  /// @param find the number of a column's category; -1 where there is none
  template <class Find>
  static void add(const std::string& file, const CsvArguments& asked, const std::vector<CsvColumn>& columns,
                  const Find& find, CsvRows& rows) {
    CsvReader reader(file, asked.separator);
    skip_header(reader, columns, asked);
    RowReader row(reader, asked.missing, columns, rows);
    while (reader.next()) row.add_row(find);
  }

 private:
  RowReader(const CsvReader& reader, const MissingFields& missing, const std::vector<CsvColumn>& columns, CsvRows& rows)
      : reader_(reader), missing_(missing), columns_(columns), rows_(rows) {}

  template <class Find>
  void add_row(const Find& find) {
    if (reader_.size() != columns_.size())
      reader_.refuse(std::to_string(reader_.size()) + " fields, and there are " + std::to_string(columns_.size()) +
                     " columns");
    const std::size_t features = rows_.features.size();
    const std::size_t targets = rows_.targets.size();
    const std::size_t labels = rows_.labels.size();
    rows_.missing.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const CsvColumn& column = columns_[i];
      if (column.role == Role::ignored) continue;
      if (column.is_text ? add_text(i, find) : add_number(i)) continue;
      count_missing(i + 1);
      rows_.features.resize(features);
      rows_.targets.resize(targets);
      return rows_.labels.resize(labels);
    }
  }

  /// Of columns from this one on, in a row that is left out.
  void count_missing(std::size_t first) {
    for (std::size_t i = first; i < columns_.size(); ++i)
      if (columns_[i].role != Role::ignored && is_missing(reader_.field(i))) ++rows_.missing[i];
  }

  /// False where the row is to be left out.
  bool add_number(std::size_t index) {
    const std::string_view field = reader_.field(index);
    const CsvColumn& column = columns_[index];
    std::vector<float>& to = column.role == Role::target ? rows_.targets : rows_.features;
    if (const std::optional<float> number = csv_number(field)) {
      to.push_back(*number);
      return true;
    }
    if (!is_missing(field)) refuse_number(column, field);
    ++rows_.missing[index];
    if (missing_.rule == MissingFields::Rule::skip) return false;
    if (missing_.rule == MissingFields::Rule::refuse || column.role == Role::target) refuse_missing(column);
    to.push_back(missing_.rule == MissingFields::Rule::mean ? kMissing : missing_.number);
    return true;
  }

  template <class Find>
  bool add_text(std::size_t index, const Find& find) {
    const CsvColumn& column = columns_[index];
    std::string_view field = reader_.field(index);
    if (is_missing(field)) {
      ++rows_.missing[index];
      if (missing_.rule == MissingFields::Rule::skip) return false;
      if (missing_.rule == MissingFields::Rule::refuse || column.role == Role::label) refuse_missing(column);
      field = kNoCategory;
    }
    const std::int32_t category = find(index, field);
    if (category < 0)
      reader_.refuse("column '" + column.name + "' has '" + printable(field) + "', which the training set has not");
    if (column.role == Role::label)
      rows_.labels.push_back(category);
    else
      rows_.features.push_back(static_cast<float>(category));
    return true;
  }

  [[noreturn]] void refuse_number(const CsvColumn& column, std::string_view field) const {
    const bool comma = field.find(',') != std::string_view::npos;
    reader_.refuse("column '" + column.name + "' has '" + printable(field) + "', which is no number of 32 bits" +
                   (comma ? ": numbers have a point, and no other separator" : "") + "; text=" + column.name +
                   " makes its fields categories");
  }
  [[noreturn]] void refuse_missing(const CsvColumn& column) const {
    const bool answer = column.role != Role::feature;
    reader_.refuse("column '" + column.name + "' has no value here; " +
                   (answer ? "missing=skip leaves such rows out" : "missing=skip, mean or a NUMBER says what to do"));
  }

  const CsvReader& reader_;
  const MissingFields& missing_;
  const std::vector<CsvColumn>& columns_;
  CsvRows& rows_;
};

/// Numbers categories in the order of their names.
void sort_categories(std::vector<CsvColumn>& columns, CsvRows& rows) {
  std::vector<std::vector<std::int32_t>> of_features;  // new numbers; empty for numbers
  for (CsvColumn& column : columns) {
    std::vector<std::int32_t> becomes = column.categories.sort();
    if (column.role == Role::label)
      for (std::int32_t& label : rows.labels) label = becomes[static_cast<std::size_t>(label)];
    if (column.role == Role::feature) of_features.push_back(std::move(becomes));
  }
  for (std::size_t i = 0; i < of_features.size(); ++i)
    for (std::size_t at = i; !of_features[i].empty() && at < rows.features.size(); at += of_features.size())
      rows.features[at] = static_cast<float>(of_features[i][static_cast<std::size_t>(rows.features[at])]);
}

}  // namespace

CsvRows read_training_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                           std::vector<CsvColumn>& columns) {
  CsvRows rows;
  const auto add = [&](std::size_t index, std::string_view text) {
    CsvColumn& column = columns[index];
    const std::int32_t number = column.categories.add(text);
    const bool label = column.role == Role::label;
    if (column.categories.size() > (label ? kMostClasses : kMostCategories))
      throw Error(ErrorCode::bad_data,
                  "column '" + column.name + "' has more than " +
                      std::to_string(label ? kMostClasses : kMostCategories) +
                      (label ? " classes; target=" : " different texts; ignore=") + column.name +
                      (label ? " takes it as a number" : " leaves it out"),
                  {.object = files.front()});
    return number;
  };
  for (const std::string& file : files) RowReader::add(file, asked, columns, add, rows);
  sort_categories(columns, rows);
  return rows;
}

CsvRows read_test_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                       const std::vector<CsvColumn>& columns) {
  CsvRows rows;
  const auto find = [&](std::size_t index, std::string_view text) { return columns[index].categories.find(text); };
  for (const std::string& file : files) RowReader::add(file, asked, columns, find, rows);
  return rows;
}

}  // namespace troupe
