#include "models/data/csv/csv_row.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "runtime/letter.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

using Role = CsvColumn::Role;

[[noreturn]] void refuse_missing(const CsvReader& reader, const CsvColumn& column) {
  const bool answer = column.role != Role::feature;
  reader.refuse("column '" + column.name + "' has no value; " +
                (answer ? "use missing=skip to skip such rows" : "use missing=skip, missing=mean or missing=NUMBER"));
}

[[noreturn]] void refuse_unseen(const CsvReader& reader, const CsvColumn& column, std::string_view field) {
  const bool label = column.role == Role::label;
  if (field == kNoCategory)
    reader.refuse("column '" + column.name +
                  "' has no value, but the training set had one in every row: use missing=skip to skip such rows, "
                  "or unseen=zero to use zeros");
  reader.refuse("column '" + column.name + "' has '" + printable(field) + "', which is not in the training set; " +
                (label ? "use ignore=" + column.name + " to ignore the classes" : "use unseen=zero to use zeros"));
}

}  // namespace

CsvRow::CsvRow(const std::vector<CsvColumn>& columns, const CsvArguments& asked, Find find)
    : columns_(columns),
      missing_(asked.missing),
      unseen_zero_(asked.unseen_zero),
      find_(std::move(find)),
      missed_(columns.size()) {
  const auto count = [&](Role role) {
    return static_cast<std::size_t>(std::ranges::count(columns, role, &CsvColumn::role));
  };
  features_.resize(count(Role::feature));
  targets_.resize(count(Role::target));
}

bool CsvRow::parse(const CsvReader& reader) {
  if (reader.size() != columns_.size())
    reader.refuse(std::to_string(reader.size()) + " fields, but there are " + std::to_string(columns_.size()) +
                  " columns");
  bool whole = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].role == Role::ignored) continue;
    if (!whole)  // the row will be skipped, so only its other missing fields are counted
      missed_[i] += is_missing(reader.field(i)) ? 1 : 0;
    else
      whole = columns_[i].is_text ? take_text(reader, i) : take_number(reader, i);
  }
  return whole;
}

/// Converts field number `index` of the current row, which belongs to a column of numbers. Returns false if the row
/// must be skipped.
bool CsvRow::take_number(const CsvReader& reader, std::size_t index) {
  const std::string_view field = reader.field(index);
  const CsvColumn& column = columns_[index];
  float& to = (column.role == Role::target ? targets_ : features_)[column.slot];
  if (const std::optional<float> number = csv_number(field)) {
    to = *number;
    return true;
  }
  if (!is_missing(field)) reader.refuse(no_number(column, field));
  ++missed_[index];
  if (missing_.rule == MissingFields::Rule::skip) return false;
  using Rule = MissingFields::Rule;
  if (missing_.rule == Rule::refuse || column.role == Role::target || (missing_.rule == Rule::trained && !column.fill))
    refuse_missing(reader, column);
  to = missing_.rule == Rule::mean ? kMissing : missing_.rule == Rule::trained ? *column.fill : missing_.number;
  return true;
}

bool CsvRow::take_text(const CsvReader& reader, std::size_t index) {
  const CsvColumn& column = columns_[index];
  std::string_view field = reader.field(index);
  if (is_missing(field)) {
    ++missed_[index];
    if (missing_.rule == MissingFields::Rule::skip) return false;
    using Rule = MissingFields::Rule;
    const bool unknown = missing_.rule == Rule::trained && find_(index, kNoCategory) < 0;
    if (unknown && column.role != Role::label && !unseen_zero_) refuse_unseen(reader, column, kNoCategory);
    if (missing_.rule == Rule::refuse || column.role == Role::label) refuse_missing(reader, column);
    field = kNoCategory;
  }
  if (!is_utf8(field))
    reader.refuse("column '" + column.name + "' has '" + printable(field) + "', which is not valid UTF-8");
  const std::int32_t category = find_(index, column.role == Role::label ? class_of(field) : field);
  if (category < 0 && !(unseen_zero_ && column.role == Role::feature)) refuse_unseen(reader, column, field);
  if (column.role == Role::label)
    label_ = category;
  else
    features_[column.slot] = static_cast<float>(category);
  return true;
}

}  // namespace troupe
