#include "models/data/csv/csv_row.hpp"

#include <limits>
#include <string>
#include <utility>

#include "runtime/printable.hpp"

namespace troupe {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr const char* kNoCategory = "(missing)";

using Role = CsvColumn::Role;

[[noreturn]] void refuse_missing(const CsvReader& reader, const CsvColumn& column) {
  const bool answer = column.role != Role::feature;
  reader.refuse("column '" + column.name + "' has no value here; " +
                (answer ? "missing=skip leaves such rows out" : "missing=skip, mean or a NUMBER says what to do"));
}

}  // namespace

CsvRow::CsvRow(const std::vector<CsvColumn>& columns, const MissingFields& missing, Find find)
    : columns_(columns), missing_(missing), find_(std::move(find)), missed_(columns.size()) {}

bool CsvRow::parse(const CsvReader& reader) {
  if (reader.size() != columns_.size())
    reader.refuse(std::to_string(reader.size()) + " fields, and there are " + std::to_string(columns_.size()) +
                  " columns");
  features_.clear();
  targets_.clear();
  bool whole = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].role == Role::ignored) continue;
    if (!whole)  // what else is missing is counted
      missed_[i] += is_missing(reader.field(i)) ? 1 : 0;
    else
      whole = columns_[i].is_text ? take_text(reader, i) : take_number(reader, i);
  }
  return whole;
}

/// False where the row is to be left out.
bool CsvRow::take_number(const CsvReader& reader, std::size_t index) {
  const std::string_view field = reader.field(index);
  const CsvColumn& column = columns_[index];
  std::vector<float>& to = column.role == Role::target ? targets_ : features_;
  if (const std::optional<float> number = csv_number(field)) {
    to.push_back(*number);
    return true;
  }
  if (!is_missing(field)) reader.refuse(no_number(column, field));
  ++missed_[index];
  if (missing_.rule == MissingFields::Rule::skip) return false;
  if (missing_.rule == MissingFields::Rule::refuse || column.role == Role::target) refuse_missing(reader, column);
  to.push_back(missing_.rule == MissingFields::Rule::mean ? kMissing : missing_.number);
  return true;
}

bool CsvRow::take_text(const CsvReader& reader, std::size_t index) {
  const CsvColumn& column = columns_[index];
  std::string_view field = reader.field(index);
  if (is_missing(field)) {
    ++missed_[index];
    if (missing_.rule == MissingFields::Rule::skip) return false;
    if (missing_.rule == MissingFields::Rule::refuse || column.role == Role::label) refuse_missing(reader, column);
    field = kNoCategory;
  }
  const std::int32_t category = find_(index, field);
  if (category < 0)
    reader.refuse("column '" + column.name + "' has '" + printable(field) + "', which the training set has not");
  if (column.role == Role::label)
    label_ = category;
  else
    features_.push_back(static_cast<float>(category));
  return true;
}

}  // namespace troupe
