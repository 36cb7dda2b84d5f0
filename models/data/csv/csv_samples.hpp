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

/// Converts rows to samples. A number stays unchanged; the mean of its column replaces NaN. A category becomes one
/// float for each category of its column: 1 for the category itself, 0 for the others.
class CsvSamples {
 public:
  /// @param means the mean of each feature, by CsvColumn::slot
  CsvSamples(const std::vector<CsvColumn>& columns, std::vector<float> means);

  std::size_t row_size() const { return widths_.size(); }
  std::size_t sample_size() const { return sample_size_; }
  /// Writes the sample of one row.
  /// @param row CsvRow::features
  /// @param to `sample_size()` floats, which must be 0
  void write(std::span<const float> row, std::span<float> to) const;
  /// Returns the samples of several rows, one after the other.
  std::vector<float> samples(std::vector<float> rows) const;

 private:
  std::vector<std::size_t> widths_;  ///< number of categories of each feature; 0 for a number
  std::vector<float> means_;
  std::size_t sample_size_ = 0;
};

/// Returns data whose rows stay in their files. Each row is read on demand. Its floats are bitwise identical to those
/// of rows in memory.
/// @param rows must have been read with KeepRows::in_files
/// @param info the description of the data
std::shared_ptr<const DataSource> csv_in_files(CsvRows rows, std::vector<CsvColumn> columns, const CsvArguments& asked,
                                               const CsvSamples& samples, DataInfo info);

}  // namespace troupe
