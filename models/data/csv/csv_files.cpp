#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "models/data/builtin_data.hpp"
#include "models/data/csv/csv_rows.hpp"
#include "models/data/dataset_arrays.hpp"
#include "models/data/naming.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

using Role = CsvColumn::Role;

/// Columns that samples are made of.
std::vector<const CsvColumn*> features_of(const std::vector<CsvColumn>& columns) {
  std::vector<const CsvColumn*> features;
  for (const CsvColumn& column : columns)
    if (column.role == Role::feature) features.push_back(&column);
  return features;
}

/// Of each feature over the rows that have it; 0 where none has.
std::vector<float> means_of(const std::vector<float>& features, std::size_t width) {
  std::vector<double> sums(width);
  std::vector<std::int64_t> counts(width);
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (std::isnan(features[i])) continue;
    sums[i % width] += static_cast<double>(features[i]);
    ++counts[i % width];
  }
  std::vector<float> means(width);
  for (std::size_t i = 0; i < width; ++i)
    means[i] = counts[i] > 0 ? static_cast<float>(sums[i] / static_cast<double>(counts[i])) : 0;
  return means;
}

void fill_missing(std::vector<float>& features, const std::vector<float>& means) {
  for (std::size_t i = 0; i < features.size(); ++i)
    if (std::isnan(features[i])) features[i] = means[i % means.size()];
}

/// A float a category, of which the row's is 1.
std::vector<float> one_hot(std::vector<float> rows, const std::vector<const CsvColumn*>& columns, std::size_t width) {
  if (width == columns.size() && std::ranges::none_of(columns, &CsvColumn::is_text)) return rows;
  std::vector<float> wide(rows.size() / columns.size() * width);
  float* to = wide.data();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CsvColumn& column = *columns[i % columns.size()];
    to[column.is_text ? static_cast<std::size_t>(rows[i]) : 0] = column.is_text ? 1 : rows[i];
    to += column.width();
  }
  return wide;
}

/// Of each float that columns become.
std::vector<std::string> names_of_values(const std::vector<const CsvColumn*>& columns) {
  std::vector<std::string> names;
  for (const CsvColumn* column : columns) {
    if (!column->is_text) names.push_back(column->name);
    for (const std::string& category : column->categories.names())
      names.push_back(column->name + "=" + printable(category));
  }
  return names;
}

/// A set that knows how people call what it holds.
std::shared_ptr<const Dataset> with_names(const Dataset& set, const std::vector<CsvColumn>& columns,
                                          const std::vector<std::int64_t>& missing) {
  DataInfo info = set.info();
  info.value_names = names_of_values(features_of(columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].role == Role::target) info.target_names.push_back(columns[i].name);
    if (i < missing.size() && missing[i] > 0) info.missing.push_back({columns[i].name, missing[i]});
  }
  return std::make_shared<const Dataset>(DatasetArrays::make(std::move(info), DatasetArrays::of(set)));
}

std::string origin_of(const std::vector<std::string>& files) {
  return files.front() + (files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more" : "");
}

std::shared_ptr<const Dataset> make_set(CsvRows rows, const std::vector<CsvColumn>& columns, std::string origin) {
  const auto features = features_of(columns);
  std::size_t width = 0;
  for (const CsvColumn* column : features) width += column->width();
  std::vector<float> values = one_hot(std::move(rows.features), features, width);
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(width)};
  const auto label = std::ranges::find(columns, Role::label, &CsvColumn::role);
  return naming(origin, [&] {
    if (label == columns.end())
      return with_names(Dataset::targets(shape, std::move(values), std::move(rows.targets),
                                         std::ranges::count(columns, Role::target, &CsvColumn::role), origin),
                        columns, rows.missing);
    const auto& names = label->categories.names();
    return with_names(Dataset::classes(shape, std::move(values), std::move(rows.labels), static_cast<int>(names.size()),
                                       origin, names),
                      columns, rows.missing);
  });
}

}  // namespace

TrainingData csv_files(const std::string& arguments, std::uint64_t /*seed*/) {
  const CsvArguments asked = parse_csv_arguments(arguments);
  std::vector<CsvColumn> columns = columns_of(asked.files.front(), asked);
  CsvRows train = read_training_rows(asked.files, asked, columns);
  const std::vector<float> means = means_of(train.features, features_of(columns).size());
  fill_missing(train.features, means);
  TrainingData data{make_set(std::move(train), columns, origin_of(asked.files)), nullptr};
  if (asked.test_files.empty()) return data;
  CsvRows test = read_test_rows(asked.test_files, asked, columns);
  fill_missing(test.features, means);
  data.test = make_set(std::move(test), columns, origin_of(asked.test_files));
  return data;
}

}  // namespace troupe
