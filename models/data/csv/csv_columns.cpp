#include "models/data/csv/csv_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "models/data/remote_blocks.hpp"
#include "runtime/files/input_file.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"

namespace troupe {
namespace {

/// The number of rows, from the start of the file, that determine whether a column contains text or numbers.
constexpr int kRowsLookedAt = 1000;

std::vector<std::string> names_of(const std::vector<CsvColumn>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const CsvColumn& column : columns) names.push_back(column.name);
  return names;
}

bool has_header(const std::vector<std::string>& first, const CsvArguments& asked) {
  if (asked.header == CsvArguments::Header::unknown) return looks_like_header(first);
  return asked.header == CsvArguments::Header::yes;
}

/// Decides which columns contain text. Callers pass the first rows of the file to `add`, which sets CsvColumn::is_text.
class FieldsLookedAt {
 public:
  explicit FieldsLookedAt(std::vector<CsvColumn>& columns) : columns_(columns), bad_numbers_(columns.size()) {}

  void add(const CsvReader& reader) {
    for (std::size_t i = 0; i < std::min(columns_.size(), reader.size()); ++i) {
      const std::string_view field = reader.field(i);
      if (columns_[i].is_text || is_missing(field) || csv_number(field)) continue;
      columns_[i].is_text = !is_meant_as_number(field);
      if (!columns_[i].is_text && !bad_numbers_[i]) bad_numbers_[i] = {reader.line(), std::string(field)};
    }
  }

  /// Checks that all fields that `add` has found in columns of numbers are valid numbers. Columns with text, columns
  /// that the user declared as text, and ignored columns are not checked.
  /// @throws Error bad_file if a column has a field that is meant as a number but is not valid, such as "1,5".
  void check(const std::string& file) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const CsvColumn& column = columns_[i];
      if (!bad_numbers_[i] || column.is_text || column.role == CsvColumn::Role::ignored) continue;
      throw_bad_file(file,
                     "line " + std::to_string(bad_numbers_[i]->line) + ": " + no_number(column, bad_numbers_[i]->text));
    }
  }

 private:
  struct BadNumber {
    std::int64_t line = 0;
    std::string text;
  };
  std::vector<CsvColumn>& columns_;
  std::vector<std::optional<BadNumber>> bad_numbers_;  ///< for each column: its first field that is meant as a number
                                                       ///< but is not valid
};

void give_roles(std::vector<CsvColumn>& columns, const CsvArguments& asked, const std::string& file) {
  using Role = CsvColumn::Role;
  for (const std::string& name : asked.ignored) find_column(columns, name, file).role = Role::ignored;
  for (const std::string& name : asked.text) find_column(columns, name, file).is_text = true;
  for (const std::string& name : asked.targets) find_column(columns, name, file).role = Role::target;
  if (!asked.class_column.empty()) {
    find_column(columns, asked.class_column, file).role = Role::label;
  } else if (asked.targets.empty()) {
    const auto last = std::ranges::find_if(columns.rbegin(), columns.rend(),
                                           [](const CsvColumn& column) { return column.role != Role::ignored; });
    if (last != columns.rend()) last->role = last->is_text ? Role::label : Role::target;
  }
  for (CsvColumn& column : columns) {
    if (column.role == Role::label) column.is_text = true;
    if (column.role == Role::target && column.is_text)
      throw Error(ErrorCode::bad_data,
                  "the target '" + column.name + "' contains text; use class=" + column.name + " to read it as classes",
                  {.object = file});
  }
  if (std::ranges::none_of(columns, [](const CsvColumn& column) { return column.role == Role::feature; }))
    throw Error(ErrorCode::bad_data, "there are no feature columns: all columns are targets, class or ignored",
                {.object = file});
}

/// Sets CsvColumn::slot: numbers the columns of each role, from 0, in the order of the file.
void give_slots(std::vector<CsvColumn>& columns) {
  std::array<std::size_t, 4> next{};
  for (CsvColumn& column : columns) column.slot = next[static_cast<std::size_t>(column.role)]++;
}

}  // namespace

std::string list_of(const std::vector<CsvColumn>& columns) {
  constexpr std::size_t kMost = 30;
  std::string list;
  for (std::size_t i = 0; i < std::min(columns.size(), kMost); ++i) list += (i == 0 ? "" : ", ") + columns[i].name;
  return list + (columns.size() > kMost ? ", ..." : "");
}

CsvColumn& find_column(std::vector<CsvColumn>& columns, const std::string& name, const std::string& file) {
  const auto found = std::ranges::find(columns, name, &CsvColumn::name);
  if (found != columns.end()) return *found;
  const std::optional<float> number = csv_number(name);
  for (std::size_t i = 0; number && i < columns.size(); ++i)
    if (*number == static_cast<float>(i + 1)) return columns[i];
  throw_invalid("csv: " + file + " has no column '" + printable(name) + "'" + did_you_mean(name, names_of(columns)) +
                "; the columns are " + list_of(columns));
}

bool looks_like_header(const std::vector<std::string>& first) {
  return std::ranges::none_of(first, [](const std::string& field) { return csv_number(field).has_value(); });
}

std::vector<std::string> fields_of(const CsvReader& reader) {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < reader.size(); ++i) fields.emplace_back(reader.field(i));
  return fields;
}

std::vector<CsvColumn> named_columns(const CsvReader& reader, const std::vector<std::string>& first, bool header) {
  std::vector<CsvColumn> columns;
  std::unordered_set<std::string> names;
  for (std::size_t i = 0; i < first.size(); ++i) {
    CsvColumn column;
    column.name = header && !first[i].empty() ? printable(first[i]) : std::to_string(i + 1);
    if (!names.insert(column.name).second) reader.refuse("two columns have the name '" + column.name + "'");
    columns.push_back(std::move(column));
  }
  return columns;
}

std::vector<const CsvColumn*> features_of(const std::vector<CsvColumn>& columns) {
  std::vector<const CsvColumn*> features;
  for (const CsvColumn& column : columns)
    if (column.role == CsvColumn::Role::feature) features.push_back(&column);
  std::ranges::sort(features, {}, &CsvColumn::slot);
  return features;
}

std::int32_t Categories::add(std::string_view text) {
  const std::int32_t known = find(text);
  if (known >= 0) return known;
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.emplace_back(text);
  numbers_.emplace(names_.back(), number);
  return number;
}

std::int32_t Categories::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? -1 : found->second;
}

std::vector<std::int32_t> Categories::sort() {
  std::vector<std::int32_t> order(names_.size());  // the old number of each category, indexed by its new number
  std::iota(order.begin(), order.end(), 0);
  const auto number_at = [&](std::int32_t i) { return csv_number(names_[static_cast<std::size_t>(i)]); };
  const bool numbers = std::ranges::all_of(order, [&](std::int32_t i) { return number_at(i).has_value(); });
  std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
    if (numbers && *number_at(a) != *number_at(b)) return *number_at(a) < *number_at(b);
    return names_[static_cast<std::size_t>(a)] < names_[static_cast<std::size_t>(b)];
  });
  std::vector<std::int32_t> becomes(order.size());
  std::vector<std::string> sorted;
  for (const std::int32_t old : order) {
    becomes[static_cast<std::size_t>(old)] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(std::move(names_[static_cast<std::size_t>(old)]));
  }
  names_ = std::move(sorted);
  for (auto& [name, number] : numbers_) number = becomes[static_cast<std::size_t>(number)];
  return becomes;
}

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 6> kNames{"na", "n/a", "nan", "null", "none", "?"};
  if (field.empty()) return true;
  if (field.size() > 4) return false;
  std::string lower(field);
  std::ranges::transform(lower, lower.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return std::ranges::find(kNames, lower) != kNames.end();
}

std::string no_number(const CsvColumn& column, std::string_view field) {
  const bool comma = field.find(',') != std::string_view::npos;
  return "column '" + column.name + "' has '" + printable(field) + "', which is not a 32-bit number" +
         (comma ? ": use a decimal point and no thousands separators" : "") + "; text=" + column.name +
         " reads its fields as categories";
}

std::vector<CsvColumn> columns_of(const std::string& file, const CsvArguments& asked) {
  CsvReader reader(open_data(file), asked.separator);
  if (!reader.next()) throw_bad_file(file, "the file has no rows");
  const std::vector<std::string> first = fields_of(reader);
  std::vector<CsvColumn> columns = named_columns(reader, first, has_header(first, asked));
  FieldsLookedAt fields(columns);
  if (!has_header(first, asked)) fields.add(reader);
  for (int row = 0; row < kRowsLookedAt && reader.next(); ++row) fields.add(reader);
  give_roles(columns, asked, file);
  fields.check(file);
  give_slots(columns);
  return columns;
}

std::vector<CsvColumn> columns_of_test(const std::string& file, const std::vector<CsvColumn>& columns,
                                       const CsvArguments& asked) {
  std::vector<CsvColumn> others;
  std::ranges::copy_if(columns, std::back_inserter(others), [](const CsvColumn& column) {
    return column.role != CsvColumn::Role::target && column.role != CsvColumn::Role::label;
  });
  CsvReader reader(open_data(file), asked.separator);
  return reader.next() && reader.size() == others.size() ? others : columns;
}

void skip_header(CsvReader& reader, const std::vector<CsvColumn>& columns, const CsvArguments& asked) {
  CsvReader ahead(reader.file(), reader.separator());
  if (!ahead.next()) throw_bad_file(reader.path(), "the file has no rows");
  const std::vector<std::string> first = fields_of(ahead);
  if (!has_header(first, asked)) return;
  reader.next();
  for (std::size_t i = 0; i < std::min(columns.size(), first.size()); ++i)
    if (const std::string name = printable(first[i]); !name.empty() && name != columns[i].name)
      reader.refuse("column " + std::to_string(i + 1) + " has the name '" + name + "', but in the first file '" +
                    columns[i].name + "'");
}

}  // namespace troupe
