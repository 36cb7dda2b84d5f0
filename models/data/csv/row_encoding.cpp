#include "models/data/csv/row_encoding.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "models/data/csv/csv_columns.hpp"
#include "runtime/printable.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

[[noreturn]] void refuse(const InputColumn& column, const std::string& what) {
  throw Error(ErrorCode::bad_data, "column '" + column.name + "' " + what);
}

/// Returns the text of `field` in a CSV file. Returns an empty text for NaN, because an empty field of a CSV file is a
/// missing value.
std::string text_of(const Field& field) {
  if (const auto* const text = std::get_if<std::string>(&field.value())) return *text;
  const double number = std::get<double>(field.value());
  if (std::isnan(number)) return "";
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

float number_of(const InputColumn& column, const Field& field) {
  const std::string text = text_of(field);
  if (is_missing(text)) {
    if (!column.fill) refuse(column, "has no value, but the training set had one in every row");
    return *column.fill;
  }
  if (const auto* const number = std::get_if<double>(&field.value())) {
    const auto rounded = static_cast<float>(*number);
    if (!std::isfinite(rounded)) refuse(column, "has " + text + ", which is out of the range of float");
    return rounded;
  }
  const std::optional<float> number = csv_number(text);
  if (!number) refuse(column, "has '" + printable(text) + "', but the network was trained with this column as numbers");
  return *number;
}

void add_category(const InputColumn& column, const Field& field, std::vector<float>& values) {
  std::string text = text_of(field);
  const bool missing = is_missing(text);
  if (missing) text = kNoCategory;
  const auto found = std::ranges::find(column.categories, text);
  if (found == column.categories.end() && missing)
    refuse(column, "has no value, but the training set had one in every row");
  if (found == column.categories.end())
    refuse(column, "has '" + printable(text) + "', which is not in the training set");
  for (auto category = column.categories.begin(); category != column.categories.end(); ++category)
    values.push_back(category == found ? 1.0F : 0.0F);
}

}  // namespace

std::vector<float> encode_row(const InputEncoding& encoding, const Row& row) {
  std::vector<float> values;
  for (const InputColumn& column : encoding.columns) {
    if (column.role != InputColumn::Role::feature) continue;
    const auto field = row.find(column.name);
    if (field == row.end()) refuse(column, "is missing from the row");
    if (column.is_text)
      add_category(column, field->second, values);
    else
      values.push_back(number_of(column, field->second));
  }
  return values;
}

}  // namespace troupe
