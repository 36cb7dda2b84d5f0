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

/// Makes samples of rows. A number stays a number; the mean replaces a missing one. A category becomes one float per
/// category of the column: 1 for the category itself, else 0.
class CsvSamples {
 public:
  /// @param means the mean of each feature
  CsvSamples(const std::vector<CsvColumn>& columns, std::vector<float> means);

  std::size_t row_size() const { return widths_.size(); }
  std::size_t sample_size() const { return sample_size_; }
  /// @param row the features of one row. @param to must contain zeros
  void write(std::span<const float> row, std::span<float> to) const;
  /// Converts consecutive rows.
  std::vector<float> samples(std::vector<float> rows) const;

 private:
  std::vector<std::size_t> widths_;  ///< floats of each feature; 0 for a number
  std::vector<float> means_;
  std::size_t sample_size_ = 0;
};

/// Returns samples whose rows stay in their files. Each row is read on request; the floats are identical to those of
/// samples in memory. @param info the known properties of the data. @param rows rows of KeepRows::in_files
std::shared_ptr<const DataSource> csv_in_files(CsvRows rows, std::vector<CsvColumn> columns, const CsvArguments& asked,
                                               const CsvSamples& samples, DataInfo info);

}  // namespace troupe
