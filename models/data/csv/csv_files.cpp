#include <algorithm>
#include <memory>
#include <utility>

#include "models/data/arguments.hpp"
#include "models/data/builtin_data.hpp"
#include "models/data/csv/csv_encoding.hpp"
#include "models/data/csv/csv_samples.hpp"
#include "models/data/data_memory.hpp"
#include "models/data/dataset_arrays.hpp"
#include "models/data/file_patterns.hpp"
#include "models/data/naming.hpp"
#include "runtime/printable.hpp"

namespace troupe {
namespace {

using Role = CsvColumn::Role;

/// Returns the names of the values of a sample. A value from a column of numbers has the name of the column. A value
/// that stands for a category of a column with text has the name "COLUMN=CATEGORY".
std::vector<std::string> names_of_values(const std::vector<CsvColumn>& columns) {
  std::vector<std::string> names;
  for (const CsvColumn* const column : features_of(columns)) {
    if (!column->is_text) names.push_back(column->name);
    for (const std::string& category : column->categories.names())
      names.push_back(column->name + "=" + printable(category));
  }
  return names;
}

std::string origin_of(const std::vector<std::string>& files) {
  return shown_name(files.front()) + (files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more" : "");
}

DataInfo info_of(const CsvRows& rows, const std::vector<CsvColumn>& columns, std::size_t sample_size) {
  DataInfo info{.num_samples = rows.count, .shape = {static_cast<std::int64_t>(sample_size)}};
  info.value_names = names_of_values(columns);
  info.target_names.resize(
      static_cast<std::size_t>(std::ranges::count(columns, CsvColumn::Role::target, &CsvColumn::role)));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].role == Role::target) info.target_names[columns[i].slot] = columns[i].name;
    if (columns[i].role == Role::label) info.class_names = columns[i].categories.names();
    if (rows.missing[i] > 0) info.missing.push_back({columns[i].name, rows.missing[i]});
  }
  info.num_targets = std::ssize(info.target_names);
  info.num_classes = static_cast<int>(info.class_names.size());
  return info;
}

KeepRows keep(const std::vector<std::string>& files) {
  return fits_in_data_memory(bytes_of_files(files)) ? KeepRows::in_memory : KeepRows::in_files;
}

/// Returns data that consists of `rows`, which are in memory or stay in their files.
/// @param means the mean of each feature, which replaces missing numbers
/// @param encoding the value of DataInfo::encoding for the data
/// @param origin the value of DataInfo::origin for the data
std::shared_ptr<const DataSource> make_set(CsvRows rows, const std::vector<CsvColumn>& columns,
                                           const std::vector<float>& means, InputEncoding encoding,
                                           const CsvArguments& asked, const std::string& origin) {
  const CsvSamples samples(columns, means);
  DataInfo info = info_of(rows, columns, samples.sample_size());
  info.origin = origin;
  info.encoding = std::move(encoding);
  return naming(origin, [&]() -> std::shared_ptr<const DataSource> {
    if (!rows.files.empty()) return csv_in_files(std::move(rows), columns, asked, samples, std::move(info));
    DatasetArrays arrays;
    arrays.values = arrays.hold(samples.samples(std::move(rows.features)));
    arrays.labels = arrays.hold(std::move(rows.labels));
    arrays.targets = arrays.hold(std::move(rows.targets));
    return std::make_shared<const Dataset>(DatasetArrays::make(std::move(info), std::move(arrays)));
  });
}

/// Reads a set for a network that has been trained before: its columns, categories and replacements of missing numbers
/// are those of the training data `trained`.
std::shared_ptr<const DataSource> set_like(const std::vector<std::string>& files, CsvArguments asked,
                                           const DataInfo& trained) {
  std::vector<CsvColumn> columns = columns_like(files.front(), asked, trained);
  CsvRows rows = read_rows_like(files, asked, columns, keep(files));
  return make_set(std::move(rows), columns, {}, encoding_like(trained.encoding, columns, asked), asked,
                  origin_of(files));
}

}  // namespace

TrainingData csv_files(const std::string& arguments, std::uint64_t /*seed*/) {
  const CsvArguments asked = parse_csv_arguments(arguments);
  std::vector<CsvColumn> columns = columns_of(asked.files.front(), asked);
  CsvRows train = read_training_rows(asked.files, asked, columns, keep(asked.files));
  const std::vector<float> means = train.means;
  const InputEncoding encoding = encoding_of(columns, means, asked);
  TrainingData data{make_set(std::move(train), columns, means, encoding, asked, origin_of(asked.files))};
  if (asked.test_files.empty()) return data;
  columns = columns_of_test(asked.test_files.front(), columns, asked);
  CsvRows test = read_test_rows(asked.test_files, asked, columns, keep(asked.test_files));
  data.test = make_set(std::move(test), columns, means, encoding, asked, origin_of(asked.test_files));
  return data;
}

TrainingData csv_files_like(const std::string& arguments, const DataInfo& trained, std::uint64_t seed) {
  if (trained.encoding.columns.empty()) return csv_files(arguments, seed);
  const CsvArguments asked = parse_csv_arguments(arguments);
  TrainingData data{set_like(asked.files, asked, trained)};
  if (!asked.test_files.empty()) data.test = set_like(asked.test_files, asked, trained);
  return data;
}

}  // namespace troupe
