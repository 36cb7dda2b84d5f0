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

/// Makes samples of rows: a number stays one, where it is missing the mean takes its place, and a category becomes as
/// many floats as there are, of which its own is 1.
class CsvSamples {
 public:
  /// @param means of each feature
  CsvSamples(const std::vector<CsvColumn>& columns, std::vector<float> means);

  std::size_t row_size() const { return widths_.size(); }
  std::size_t sample_size() const { return sample_size_; }
  /// @param row the features of one. @param to zeros
  void write(std::span<const float> row, std::span<float> to) const;
  /// Of rows one after the other.
  std::vector<float> samples(std::vector<float> rows) const;

 private:
  std::vector<std::size_t> widths_;  ///< of each feature; 0 of a number
  std::vector<float> means_;
  std::size_t sample_size_ = 0;
};

/// Samples whose rows stay in their files: each is read when it is asked for, to the same floats as if they lay in
/// memory. @param info what is known of them. @param rows of KeepRows::in_files
std::shared_ptr<const DataSource> csv_in_files(CsvRows rows, std::vector<CsvColumn> columns, const CsvArguments& asked,
                                               const CsvSamples& samples, DataInfo info);

}  // namespace troupe
