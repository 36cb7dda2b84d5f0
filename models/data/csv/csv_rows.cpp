#include "models/data/csv/csv_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/data/answers.hpp"
#include "models/data/csv/csv_index.hpp"
#include "models/data/kept_index.hpp"
#include "models/data/remote_blocks.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The maximum number of categories of a feature. The number is limited, because each category takes one float in every
/// sample.
constexpr std::int32_t kMostCategories = 1000;

using Role = CsvColumn::Role;

/// Computes the mean of each feature over all rows that `add` has received. Values that are NaN do not count.
class Means {
 public:
  void add(const std::vector<float>& features) {
    sums_.resize(features.size());
    counts_.resize(features.size());
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (std::isnan(features[i])) continue;
      sums_[i] += static_cast<double>(features[i]);
      ++counts_[i];
    }
  }

  std::vector<float> means() const {
    std::vector<float> means(sums_.size());
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] = counts_[i] > 0 ? static_cast<float>(sums_[i] / static_cast<double>(counts_[i])) : 0;
    return means;
  }

 private:
  std::vector<double> sums_;
  std::vector<std::int64_t> counts_;
};

/// Opens the files of a set and detects their separators, without reading all rows.
std::vector<CsvRows::File> open_files(const std::vector<std::string>& files, const CsvArguments& asked) {
  const auto sources = open_data(files);
  std::vector<CsvRows::File> opened;
  for (std::size_t i = 0; i < files.size(); ++i)
    opened.push_back({files[i], sources[i], CsvReader(sources[i], asked.separator).separator(), 0});
  return opened;
}

CsvRows read_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                  const std::vector<CsvColumn>& columns, KeepRows keep, CsvRow::Find find) {
  CsvRows rows;
  Means means;
  CsvRow row(columns, asked, std::move(find));
  const bool labelled = std::ranges::find(columns, Role::label, &CsvColumn::role) != columns.end();
  for (const std::string& file : files) {
    CsvReader reader(open_data(file), asked.separator);
    skip_header(reader, columns, asked);
    while (reader.next()) {
      if (!row.parse(reader)) continue;
      ++rows.count;
      means.add(row.features());
      if (labelled) rows.labels.push_back(row.label());
      if (keep == KeepRows::in_files) {
        rows.offsets.push_back(reader.offset());
        continue;
      }
      rows.features.insert(rows.features.end(), row.features().begin(), row.features().end());
      rows.targets.insert(rows.targets.end(), row.targets().begin(), row.targets().end());
    }
    if (keep == KeepRows::in_files) rows.files.push_back({file, reader.file(), reader.separator(), rows.count});
  }
  rows.missing = row.missing();
  rows.means = means.means();
  return rows;
}

/// Gives the categories of each column new numbers in the order of their names, and replaces the old numbers in the
/// features and labels of the rows.
void sort_categories(std::vector<CsvColumn>& columns, CsvRows& rows) {
  std::vector<std::vector<std::int32_t>> of_features(features_of(columns).size());  // for each feature: the new numbers
                                                                                    // of its categories, indexed by
                                                                                    // their old numbers; empty for
                                                                                    // columns of numbers
  for (CsvColumn& column : columns) {
    std::vector<std::int32_t> becomes = column.categories.sort();
    if (column.role == Role::label)
      for (std::int32_t& label : rows.labels) label = becomes[static_cast<std::size_t>(label)];
    if (column.role == Role::feature) of_features[column.slot] = std::move(becomes);
  }
  for (std::size_t i = 0; i < of_features.size(); ++i)
    for (std::size_t at = i; !of_features[i].empty() && at < rows.features.size(); at += of_features.size())
      rows.features[at] = static_cast<float>(of_features[i][static_cast<std::size_t>(rows.features[at])]);
}

CsvRows go_through_training_files(const std::vector<std::string>& files, const CsvArguments& asked,
                                  std::vector<CsvColumn>& columns, KeepRows keep) {
  const auto add = [&](std::size_t index, std::string_view text) {
    CsvColumn& column = columns[index];
    const std::int32_t number = column.categories.add(text);
    const bool label = column.role == Role::label;
    const std::int32_t most = label ? kMostClasses : kMostCategories;
    if (number >= most)
      throw Error(ErrorCode::bad_data,
                  "column '" + column.name + "' has more than " + std::to_string(most) +
                      (label ? " classes; use target=" : " different texts; use ignore=") + column.name +
                      (label ? " to read it as a number" : " to exclude it"),
                  {.object = files.front()});
    return number;
  };
  CsvRows rows = read_rows(files, asked, columns, keep, add);
  sort_categories(columns, rows);
  return rows;
}

/// Returns the rows of a set, which stay in their files, and sets the categories of the columns. If the stored index is
/// valid, takes rows and categories from the index. Otherwise calls `go_through`, and stores the result as the index.
/// @param go_through reads all rows, returns them, and sets the categories of the columns
template <class GoThrough>
CsvRows indexed(const std::vector<std::string>& files, const CsvArguments& asked, std::vector<CsvColumn>& columns,
                const GoThrough& go_through) {
  const std::vector<CsvRows::File> opened = open_files(files, asked);
  const bool may_change =
      std::ranges::any_of(opened, [](const CsvRows::File& each) { return each.file->modified() == 0; });
  if (may_change) return go_through();  // on a server without a strong ETag
  const std::string key = csv_index_key(opened, asked, columns);
  const auto take = [&](CsvIndex index) {
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].categories = Categories(index.categories[i]);
    return std::move(index.rows);
  };
  if (auto kept = read_csv_index(key, opened, columns)) return take(std::move(*kept));
  const auto lock = index_place(files.front()).lock();
  if (lock != nullptr)
    if (auto kept = read_csv_index(key, opened, columns)) return take(std::move(*kept));
  CsvRows rows = go_through();
  keep_csv_index(key, rows, columns);
  return rows;
}

}  // namespace

CsvRows read_training_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                           std::vector<CsvColumn>& columns, KeepRows keep) {
  const auto go_through = [&] { return go_through_training_files(files, asked, columns, keep); };
  return keep == KeepRows::in_files ? indexed(files, asked, columns, go_through) : go_through();
}

CsvRows read_test_rows(const std::vector<std::string>& files, const CsvArguments& asked,
                       const std::vector<CsvColumn>& columns, KeepRows keep) {
  const auto find = [&](std::size_t index, std::string_view text) { return columns[index].categories.find(text); };
  const auto go_through = [&] { return read_rows(files, asked, columns, keep, find); };
  if (keep == KeepRows::in_memory) return go_through();
  std::vector<CsvColumn> same = columns;  // a copy, because `indexed` writes the categories, although it does not
                                          // change them for a test set
  return indexed(files, asked, same, go_through);
}

CsvRows read_rows_like(const std::vector<std::string>& files, const CsvArguments& asked,
                       std::vector<CsvColumn>& columns, KeepRows keep) {
  const auto find = [&](std::size_t index, std::string_view text) {
    Categories& categories = columns[index].categories;
    const bool added =
        columns[index].role == Role::label && static_cast<std::int32_t>(categories.size()) < kMostClasses;
    return added ? categories.add(text) : categories.find(text);
  };
  const auto go_through = [&] { return read_rows(files, asked, columns, keep, find); };
  return keep == KeepRows::in_files ? indexed(files, asked, columns, go_through) : go_through();
}

}  // namespace troupe
