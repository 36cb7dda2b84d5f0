#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/data/csv/csv_rows.hpp"
#include "troupe/data.hpp"

namespace troupe {

/// Converts the features of rows to samples. A number becomes one float; if the number is NaN, it is replaced by the
/// mean of its column. A text becomes as many floats as its column has categories: 1 for its own category, and 0 for
/// all others.
class CsvSamples {
 public:
  /// @param means the mean of each feature, indexed by CsvColumn::slot
  CsvSamples(const std::vector<CsvColumn>& columns, std::vector<float> means);

  std::size_t row_size() const { return widths_.size(); }
  std::size_t sample_size() const { return sample_size_; }
  /// Converts one row to a sample.
  /// @param row the features of the row (CsvRow::features)
  /// @param to receives the sample; must have `sample_size()` floats, which must be 0 before the call
  void write(std::span<const float> row, std::span<float> to) const;
  /// Converts several rows, and returns their samples, one after the other.
  /// @param rows the features of the rows, one row after the other
  std::vector<float> samples(std::vector<float> rows) const;

 private:
  std::vector<std::size_t> widths_;  ///< for each feature: the number of its categories; 0 for a column of numbers
  std::vector<float> means_;
  std::size_t sample_size_ = 0;
};

/// Returns data whose rows stay in their files, where each row is read on demand. The floats of a sample are bitwise
/// identical to those that the sample would have in memory.
/// @param rows the places of the rows; must have been read with KeepRows::in_files
/// @param info the description of the data
std::shared_ptr<const DataSource> csv_in_files(CsvRows rows, std::vector<CsvColumn> columns, const CsvArguments& asked,
                                               const CsvSamples& samples, DataInfo info);

}  // namespace troupe
